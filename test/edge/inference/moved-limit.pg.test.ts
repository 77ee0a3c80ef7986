import test from 'ava';
import { startTestService } from '../../support/edge.ts';
import { askingRun, question } from '../../support/inference-desk.ts';
import { openTrialSuite } from '../../support/trial-suite.ts';
import { refused } from '../routes/answers.ts';

test('a run without completions left is told when its limit is, as an outage moved it', async (t) => {
  const service = await startTestService({ env: { INFERENCE_REQUESTS_PER_RUN: '1' } });
  t.teardown(() => service.stop());
  await openTrialSuite(service);
  const run = await askingRun(service);
  t.is((await run.chat(question())).status, 200);
  const endMs = service.nowMs() + 10_000_000;
  // As the owner of the run does, with its heartbeats.
  await service.sql`
    insert into run_beat (eval_run_id, part, beat_at, lease_until, run_limit_until)
    select eval_run_id, part, now(), now(), ${new Date(endMs)}
    from evaluation_run where eval_run_id = ${run.evalRunId}
    on conflict (eval_run_id) do update set run_limit_until = excluded.run_limit_until`;

  const answer = await run.chat(question());

  const seconds = Number(answer.headers.get('retry-after'));
  t.true(Math.abs(seconds - (endMs - service.nowMs()) / 1000) < 60, `${seconds}`);
  await refused(t, answer, '429 RATE_LIMITED');
});
