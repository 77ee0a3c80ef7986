import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { startTestService, type TestService } from '../support/edge.ts';
import { claim, runPath, submit } from '../support/evaluation-client.ts';
import { holdLock } from '../support/held-lock.ts';
import { openTrialSuite } from '../support/trial-suite.ts';
import { until } from '../support/until.ts';

// While nonces cannot be stored everybody who signs is refused, and everything else goes on. That is an
// outage of ours (INV-06): no punctual validator loses its run by it, whether it signs or has a session,
// and neither do heartbeats of sessions make the silence of the others look like their own.

const leaseSeconds = 12;
const faultMs = 20_000;

interface Health {
  readonly status: number;
  readonly reason: string | undefined;
}

async function health(service: TestService): Promise<Health> {
  const answer = await service.call('GET', '/health/deep');
  const { probes } = (await answer.json()) as {
    probes: Record<string, { readonly reason?: string } | undefined>;
  };
  return { status: answer.status, reason: probes['admission']?.reason };
}

async function codeOf(answer: Response): Promise<string> {
  const body = (await answer.json()) as { error_code?: string };
  return body.error_code ?? `${answer.status}`;
}

/** Asks twice a second until it is told to stop, and gives what each answer was. */
function keepAsking(
  t: ExecutionContext,
  ask: () => Promise<Response>,
): () => Promise<readonly string[]> {
  let isOver = false;
  const codes: string[] = [];
  const asking = (async () => {
    while (!isOver) {
      codes.push(await ask().then(codeOf).catch(String));
      await sleep(500);
    }
  })();
  const stop = async () => {
    isOver = true;
    await asking;
    return codes;
  };
  t.teardown(stop);
  return stop;
}

const isOutage = (code: string) => ['OUTCOME_UNKNOWN', 'STORE_UNAVAILABLE'].includes(code);

async function fault(
  t: ExecutionContext,
  breakNonces: (service: TestService, during: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const service = await startTestService({
    env: {
      ...{ LEASE_SECONDS: `${leaseSeconds}`, CLAIM_LEASE_SECONDS: `${leaseSeconds}` },
      HEARTBEAT_SECONDS: '2',
    },
  });
  t.teardown(() => service.stop());
  await openTrialSuite(service);
  for (const seed of ['one', 'two']) await submit(await service.miner(seed));
  const [signer, bearer] = [await service.validator('signer'), await service.validator('bearer')];
  const authorization = `Bearer ${await bearer.openSession()}`;
  const [ofSigner, ofBearer] = [await claim(signer), await claim(bearer)];
  const path = runPath(ofSigner.eval_run_id, 'heartbeat');
  const bySignature = () => signer.post(path);
  const bySession = () =>
    service.call('POST', runPath(ofBearer.eval_run_id, 'heartbeat'), {
      headers: { authorization },
    });
  t.is((await bySignature()).status, 200);

  const stopSession = keepAsking(t, bySession);
  await breakNonces(service, async () => {
    const stopSigner = keepAsking(t, bySignature);
    const ended = sleep(faultMs);
    await until(async () => (await health(service)).status === 503);
    await until(
      async () => (await health(service)).reason === 'signed requests cannot be recorded',
    );
    await ended;
    t.is((await health(service)).status, 503);
    const codes = await stopSigner();
    t.true(codes.every(isOutage), codes.join());
  });

  let code = '';
  await until(async () => {
    code = await codeOf(await bySignature());
    return !isOutage(code);
  });
  t.is(code, '200');
  await until(async () => (await health(service)).status === 200);
  const ofSession = await stopSession();
  // A machine that stands still costs an answer now and then, and never the run.
  t.true(
    ofSession.every((each) => each === '200' || isOutage(each)),
    ofSession.join(),
  );
  t.true(ofSession.filter(isOutage).length < ofSession.length / 4, ofSession.join());
  // All that was given was time: now the silence is their own.
  for (const run of [ofSigner, ofBearer]) {
    await until(async () => (await statusOf(service, run.eval_run_id)) === 'STALE');
  }
}

async function statusOf(service: TestService, evalRunId: string): Promise<string> {
  const answer = await service.call('GET', `/v1/public/evaluation-runs/${evalRunId}`);
  return ((await answer.json()) as { status?: string }).status ?? '';
}

test('a table of nonces that cannot grow costs nobody a run', async (t) => {
  await fault(t, async ({ sql }, during) => {
    await sql.unsafe(`
      create function disk_full() returns trigger language plpgsql as $$ begin
        raise exception 'could not extend file: No space left on device' using errcode = '53100';
      end $$;
      create trigger disk_full before insert on nonce for each statement execute function disk_full();`);
    await during();
    await sql.unsafe('drop trigger disk_full on nonce');
  });
});

test('a table of nonces that somebody keeps locked costs nobody a run', async (t) => {
  await fault(t, async ({ sql }, during) => {
    await holdLock(sql, (tx) => tx`lock table nonce in exclusive mode`, during);
  });
});
