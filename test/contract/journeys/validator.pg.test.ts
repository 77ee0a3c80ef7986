import { createHash } from 'node:crypto';
import test from 'ava';
import { startTestService, type TestService } from '../../support/edge.ts';
import { episode, submit } from '../../support/evaluation-client.ts';
import { openTrialSuite, type TrialSuite, type TrialTask } from '../../support/trial-suite.ts';
import { until } from '../../support/until.ts';
import { Replay } from './recorded-call.ts';

// What a deployed validator sends, call by call, with the payloads that it is used to.

let service: TestService;
let suite: TrialSuite;

test.before(async () => {
  service = await startTestService({ env: { CLOCK: 'simulated', COOLDOWN_SECONDS: '0' } });
  suite = await openTrialSuite(service, { requiredSuccesses: 2 });
  const miner = await service.miner('miner');
  await submit(miner);
  await submit(miner, { name: 'second' });
});
test.after.always(() => service?.stop());

interface Claim {
  readonly eval_run_id: string;
  readonly env_pack_sha256: string;
  readonly lease_expires_at: string;
  readonly heartbeat_interval_seconds: number;
  readonly code_download_url: string;
}
interface Target {
  readonly upload_url: string;
  readonly results_s3_key: string;
  readonly artifact_uri: string;
}
interface Listed {
  readonly problems: readonly { readonly problem_id: string; readonly metadata: TrialTask }[];
}
interface Lease {
  readonly lease_expires_at: string;
}

/** A plain PUT as `requests.put(url, data=…)` makes it: `Content-Type` and no other header of ours. */
const put = async (url: string, body: string) =>
  (await fetch(url, { method: 'PUT', body, headers: { 'content-type': 'application/gzip' } }))
    .status;

test.serial('from a claim without a body to the heartbeat after completion', async (t) => {
  const client = await Replay.signIn(service, await service.validator('journey'));
  const claimed = await client.call<Claim>(t, { route: 'CON-4-CLAIM_WORK', status: 200 });
  t.is(claimed.heartbeat_interval_seconds, 30);
  const params = { eval_run_id: claimed.eval_run_id };
  const code = await fetch(claimed.code_download_url);
  t.is(code.status, 200);
  t.true((await code.text()).includes('def agent'));

  const heartbeat = { route: 'CON-4-HEARTBEAT', params, body: '{}', status: 200 } as const;
  await client.call<Lease>(t, heartbeat);
  for (let beat = 0; beat < 6; beat += 1) {
    await service.advance(30);
    const lease = await client.call<Lease>(t, heartbeat);
    const leftMs = Date.parse(lease.lease_expires_at) - service.nowMs();
    t.true(leftMs > 100_000, `${leftMs} ms are left after beat ${beat}`);
  }

  const pack = { route: 'SPEC-VAL-03', params: { pack_sha256: claimed.env_pack_sha256 } } as const;
  await client.call(t, { ...pack, status: 200 });
  const { problems } = await client.call<Listed>(t, {
    ...{ route: 'CON-4-RUN_TASKS', params, status: 200 },
  } as const);
  const [first] = problems;
  const ledger = '{"steps": ["look", "buy"]}';
  const presigned = await client.call<Target>(t, {
    route: 'SPEC-VAL-05',
    body: JSON.stringify({
      eval_run_id: claimed.eval_run_id,
      env_pack_sha256: claimed.env_pack_sha256,
      artifact_sha256: createHash('sha256').update(ledger).digest('hex'),
      content_length: ledger.length,
    }),
    status: 200,
  });
  t.false(presigned.upload_url.includes('localhost'));
  t.is(await put(presigned.upload_url, ledger), 200);
  const logs = await client.call<Target>(t, {
    route: 'SPEC-VAL-06',
    body: JSON.stringify({
      content_length: 4,
      eval_run_id: claimed.eval_run_id,
      problem_id: first?.problem_id,
    }),
    status: 200,
  });
  t.is(await put(logs.upload_url, 'logs'), 200);

  const results = problems.map(({ metadata }) =>
    episode(claimed.eval_run_id, { suite, task: metadata }, { ledger_uri: presigned.artifact_uri }),
  );
  const send = (items: readonly object[]) =>
    client.call<{ counts: object }>(t, {
      route: 'SPEC-VAL-04',
      body: JSON.stringify({ results: items }),
      status: 200,
    });
  t.deepEqual((await send(results.slice(0, 1))).counts, { '201': 1 });
  t.deepEqual((await send(results)).counts, { '201': 2, '409': 1 }, 'the whole batch again');
  t.deepEqual((await send(results)).counts, { '409': 3 });

  const body = JSON.stringify({
    ...{ terminal_status: 'SUCCESS', validator_score: 0.5, score_components: null },
    ...{ results_s3_key: logs.results_s3_key, failure_reason: null, sandbox_metadata: null },
  });
  const complete = { route: 'SPEC-VAL-01', params, body, status: 200 } as const;
  const answer = await client.call(t, complete);
  t.deepEqual(await client.call(t, complete), answer, 'as if the first answer was lost');
  await client.call(t, { ...heartbeat, status: 409 });
});

test.serial('with a host report, and complete straight from CLAIMED', async (t) => {
  const client = await Replay.signIn(service, await service.validator('straight'));
  const report = {
    ...{ service_versions: { validator: '1.4.2', sandbox: '0.9' }, cpu_pct: 12.5 },
    ...{ ram_pct: null, disk_pct: 40, docker_container_count: 3 },
  };
  const claim = { route: 'CON-4-CLAIM_WORK', body: JSON.stringify(report), status: 200 } as const;
  const claimed = await client.call<Claim>(t, claim);
  const again = await client.call<Claim>(t, claim);
  t.is(again.eval_run_id, claimed.eval_run_id, 'a lost answer costs nothing');
  const params = { eval_run_id: claimed.eval_run_id };
  const failure_reason = 'sandbox did not start: image pull backoff';
  await client.call(t, {
    route: 'SPEC-VAL-01',
    params,
    body: JSON.stringify({ terminal_status: 'FAILED', failure_reason }),
    status: 200,
  });
  await until(async () => {
    const answer = await service.call('GET', `/v1/public/evaluation-runs/${claimed.eval_run_id}`);
    return ((await answer.json()) as { status: string }).status === 'FAILED';
  });
});
