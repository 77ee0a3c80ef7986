import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { startTestService } from '../support/edge.ts';
import { claim, runPath, submit } from '../support/evaluation-client.ts';
import { mortalDatabase } from '../support/mortal-database.ts';
import { openTrialSuite } from '../support/trial-suite.ts';

const outageMs = 3_000;
/** Longer than sessions and bans are remembered, so that each must be asked of the store. */
const forgottenMs = 800;

test('a completion waits for the store also while it is asked who completes', async (t) => {
  const database = await mortalDatabase(t);
  // On a crowded machine a database takes its time to begin.
  const env = { DATABASE_URL: database.url, COMPLETION_RETRY_SECONDS: '60' };
  const service = await startTestService({ env });
  t.teardown(() => service.stop());
  await openTrialSuite(service, { requiredSuccesses: 2 });
  await submit(await service.miner('miner'));
  const [bearer, signer] = [await service.validator('bearer'), await service.validator('signer')];
  const token = await bearer.openSession();
  const runs = [await claim(bearer), await claim(signer)];
  const [pathOfBearer = '', pathOfSigner = ''] = runs.map((run) =>
    runPath(run.eval_run_id, 'complete'),
  );
  const body = { terminal_status: 'FAILED', failure_class: 'VALIDATOR' };
  const authorization = `Bearer ${token}`;

  await sleep(forgottenMs);
  await database.stop();
  const nonce = randomUUID();
  const answering = [
    service.call('POST', pathOfBearer, { body, headers: { authorization } }),
    service.call('POST', pathOfSigner, { body, headers: signer.headers({ nonce }) }),
  ];
  // Whoever may come again soon is told at once, and in no one's patient company.
  const beat = await signer.post(runPath(runs[1]?.eval_run_id ?? '', 'heartbeat'));
  t.is(beat.status, 503);
  await sleep(outageMs);
  await database.start();

  for (const answer of await Promise.all(answering)) {
    t.is(answer.status, 200, await answer.text());
  }
  // One proof each: its nonce was taken, however often the store had to be asked.
  const again = await service.call('POST', pathOfSigner, {
    body,
    headers: signer.headers({ nonce }),
  });
  t.regex(await again.text(), /NONCE_REUSED/);
});
