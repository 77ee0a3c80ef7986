import { randomUUID } from 'node:crypto';
import test from 'ava';
import { claimDetails } from '../../../actors/lease-manager/reads.ts';
import { dueCode } from '../../../actors/services/projector/store.ts';
import { liveSessions } from '../../../apps/edge/reads/callers.ts';
import { findInferenceRun } from '../../../apps/edge/reads/inference.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { testDatabase } from '../../support/cluster.ts';
import { addActiveSuite, addRace, addTop, addVersion, trialId } from '../../support/trial-races.ts';

// Conditions of single reads and writes that a whole service meets seldom, and somebody's money or work hangs on.

/** A run that lives, with a token of `providera`. */
async function plantRun(sql: Sql, suiteId: number): Promise<string> {
  const evalRunId = randomUUID();
  const versionId = await addVersion(sql, suiteId, 'alice');
  await transaction(sql, {}, async (own) => {
    await own`set local session_replication_role = replica`;
    await own`
      insert into evaluation_run (eval_run_id, part, work_item_id, agent_version_id, suite_id, phase,
                                  execution_kind, validator_hotkey, slot, fence, status, claimed_at,
                                  lease_expires_at, expected_items)
      values (${evalRunId}, 0, gen_random_uuid(), ${versionId}, ${suiteId}, 'QUALIFYING',
              'legacy_benchmark', 'v', 0, 1, 'CLAIMED', rt.clock(), rt.clock(), 1)`;
    await own`
      insert into inference_token (eval_run_id, miner_hotkey, provider, token_sha256, sealed_token,
                                   issued_at, expires_at)
      values (${evalRunId}, 'alice', 'providera', 'x', 'y', rt.clock(), rt.clock())`;
  });
  return evalRunId;
}

test('a session is over after its time, whether it was swept or not', async (t) => {
  const { sql } = await testDatabase(t);
  await sql`
    insert into session (token_sha256, hotkey, role, created_at, expires_at)
    select token, 'alice', 'miner', rt.clock() - interval '3 hours', rt.clock() + ends * interval '1 second'
    from (values ('over', -1), ('alive', 60)) as given (token, ends)`;
  t.deepEqual([...(await liveSessions(sql, ['over', 'alive'])).keys()], ['alive']);
});

test('code that aged before its version became top is told of', async (t) => {
  const { sql } = await testDatabase(t);
  const suiteId = await addActiveSuite(sql);
  const entrants = [{ hotkey: 'a', score: '0.5000' }];
  const raceId = await addRace(sql, { suiteId, raceNumber: 1, entrants });
  await sql`
    insert into public_release (kind, id, due_at, reason)
    values ('CODE', ${trialId('a')}, rt.clock() - interval '1 minute', 'AGED')`;
  await addTop(sql, { suiteId, raceId, hotkey: 'a', score: '0.5000' });
  t.is((await transaction(sql, {}, (tx) => dueCode(tx, 10))).length, 1);
});

test('what a run asked of every provider counts', async (t) => {
  const { sql } = await testDatabase(t);
  const run = await plantRun(sql, await addActiveSuite(sql));
  for (const provider of ['providera', 'providerb']) {
    await sql`
      insert into inference_usage (eval_run_id, provider, model_id, requests, failures, prompt_tokens,
                                   completion_tokens, last_at)
      values (${run}, ${provider}, 'm', 7, 0, 0, 0, rt.clock())`;
  }
  t.is((await findInferenceRun(sql, run))?.requests, 14);
});

test('a claim that is repeated brings the token that the first one brought', async (t) => {
  const { sql } = await testDatabase(t);
  const run = await plantRun(sql, await addActiveSuite(sql));
  t.true((await claimDetails(sql, run))?.mayHaveToken);
});

test('a report that names no log of a problem leaves the one that was sent', async (t) => {
  const { sql } = await testDatabase(t);
  const run = await plantRun(sql, await addActiveSuite(sql));
  const problem_id = randomUUID();
  for (const logs_s3_key of ['logs/a.gz', null]) {
    const report = { part: 0, eval_run_id: run, problem_id, status: 'RUNNING', logs_s3_key };
    await sql`select rt.eval_note_progress(0, ${JSON.stringify([report])}::text::jsonb, now())`;
  }
  const rows = await sql`select logs_s3_key as key from problem_progress`;
  t.deepEqual([...rows], [{ key: 'logs/a.gz' }]);
});
