/**
 * What the functions of a commit write of evaluations. Owners decide all of it from what they have loaded; the functions
 * are what holds when one of them decided from what is no more.
 */
import test, { type ExecutionContext } from 'ava';
import { randomId } from '../../../infra/ids/ids.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { testDatabase } from '../../support/cluster.ts';
import { plantSuite, plantVersion } from '../../support/planted-races.ts';

const startMs = Date.UTC(2026, 0, 1);
/** Seconds after the start. */
const at = (seconds: number) => new Date(startMs + seconds * 1000).toISOString();

async function openRows(t: ExecutionContext) {
  const { sql } = await testDatabase(t);
  const suiteId = await plantSuite(sql);
  const agentVersionId = await plantVersion(sql, { suiteId, hotkey: 'miner' });
  return { sql, suiteId, agentVersionId };
}

async function plantWork(sql: Sql, row: { suiteId: number; agentVersionId: string }) {
  const workItemId = randomId();
  await sql`
    insert into work_item (work_item_id, part, agent_version_id, miner_hotkey, suite_id, phase, state,
      required_successes, live_count, next_fence, queued_at, queue_order_at)
    values (${workItemId}, 1, ${row.agentVersionId}, 'miner', ${row.suiteId}, 'QUALIFYING', 'OPEN', 2, 1, 5,
      ${at(0)}, ${at(0)})`;
  return workItemId;
}

async function plantRun(
  sql: Sql,
  of: { suiteId: number; agentVersionId: string; workItemId: string; status: string },
) {
  const evalRunId = randomId();
  const isOver = of.status === 'SUCCESS';
  await sql`
    insert into evaluation_run (eval_run_id, part, work_item_id, agent_version_id, suite_id, phase,
      execution_kind, validator_hotkey, slot, fence, status, is_included, score_micro, claimed_at, completed_at,
      lease_expires_at, expected_items, results_s3_key)
    values (${evalRunId}, 1, ${of.workItemId}, ${of.agentVersionId}, ${of.suiteId}, 'QUALIFYING', 'envpack',
      'validator', 0, 4, ${of.status}, ${isOver}, ${isOver ? 500_000 : null}, ${at(0)}, ${isOver ? at(50) : null},
      ${at(60)}, 30, 'the log')`;
  return evalRunId;
}

test('what a run came to is not written over by who believes that it goes on', async (t) => {
  const { sql, ...of } = await openRows(t);
  const workItemId = await plantWork(sql, of);
  const eval_run_id = await plantRun(sql, { ...of, workItemId, status: 'SUCCESS' });
  const late = {
    ...{ eval_run_id, status: 'FAILED', is_included: true, score_micro: null, item_count: 3 },
    ...{
      lease_expires_at: at(90),
      completed_at: at(90),
      end_reason: 'LATE',
      failure_class: 'AGENT',
    },
  };
  const completion = { eval_run_id, failure_reason: 'late', results_s3_key: 'another log' };

  await sql`select rt.eval_update_runs(${sql.json({ run_completion: [completion], evaluation_run: [late] })})`;

  const [row] = await sql`
    select status, score_micro, end_reason, failure_class, failure_reason, results_s3_key from evaluation_run`;
  t.deepEqual(row, {
    ...{ status: 'SUCCESS', score_micro: 500_000, end_reason: null, failure_class: null },
    ...{ failure_reason: null, results_s3_key: 'the log' },
  });
});

test('no lease is written that ends sooner than the one before', async (t) => {
  const { sql, ...of } = await openRows(t);
  const workItemId = await plantWork(sql, of);
  const eval_run_id = await plantRun(sql, { ...of, workItemId, status: 'CLAIMED' });
  const running = { eval_run_id, status: 'RUNNING', is_included: false, item_count: 1 };
  const write = async (row: object) => {
    await sql`select rt.eval_update_runs(${sql.json({ evaluation_run: [row] } as never)})`;
    const [found] = await sql<{ status: string; lease: Date }[]>`
      select status, lease_expires_at as lease from evaluation_run`;
    return [found?.status, found?.lease.toISOString()];
  };

  t.deepEqual(await write({ ...running, lease_expires_at: at(30) }), ['RUNNING', at(60)]);
  t.deepEqual(await write({ ...running, lease_expires_at: at(90) }), ['RUNNING', at(90)]);
});

test('a flush of heartbeats that comes late moves nothing back', async (t) => {
  const { sql } = await openRows(t);
  const evalRunId = randomId();
  const flush = async (seconds: number) => {
    const ms = startMs + seconds * 1000;
    const beat = { beatAtMs: ms, leaseUntilMs: ms, noProgressUntilMs: ms, runLimitUntilMs: ms };
    await sql`select rt.flush_run_beat(1, ${sql.json([{ evalRunId, ...beat }])})`;
    const [row] = await sql<Record<string, Date>[]>`
      select beat_at, lease_until, no_progress_until, run_limit_until from run_beat`;
    return Object.values(row ?? {}).map((each) => each.toISOString());
  };

  t.deepEqual(await flush(60), Array(4).fill(at(60)));
  t.deepEqual(await flush(30), Array(4).fill(at(60)));
  t.deepEqual(await flush(90), Array(4).fill(at(90)));
});

test('work is not written by who has granted fewer runs of it than somebody else', async (t) => {
  const { sql, ...of } = await openRows(t);
  const work_item_id = await plantWork(sql, of);
  const write = async (next_fence: number, live_count: number) => {
    const row = {
      ...{ work_item_id, agent_version_id: of.agentVersionId, miner_hotkey: 'miner', next_fence },
      ...{
        suite_id: of.suiteId,
        phase: 'QUALIFYING',
        state: 'OPEN',
        required_successes: 2,
        live_count,
      },
      ...{ included_success_count: 0, queued_at: at(0) },
    };
    await sql`select rt.eval_write_work(1, ${sql.json([row])})`;
    const [found] = await sql<{ live: number }[]>`select live_count as live from work_item`;
    return found?.live;
  };

  t.is(await write(4, 0), 1);
  t.is(await write(5, 0), 0);
  t.is(await write(6, 2), 2);
});

test('a report of progress keeps what one before it told and this one does not', async (t) => {
  const { sql, ...of } = await openRows(t);
  const workItemId = await plantWork(sql, of);
  const eval_run_id = await plantRun(sql, { ...of, workItemId, status: 'CLAIMED' });
  const problem_id = randomId();
  const told = {
    ...{ score_micro: 7, reasoning_score: 0.5, score_components: { a: 1 }, inference_total: 9 },
    ...{ inference_failure_count: 2, execution_time: 1.5, logs_s3_key: 'log' },
  };
  const reports = [
    { eval_run_id, problem_id, status: 'RUNNING', ...told },
    { eval_run_id, problem_id, status: 'DONE' },
  ];

  await sql`select rt.eval_note_progress(1, ${sql.json(reports)}, ${at(1)})`;

  const [row] = await sql`
    select status, score_micro, reasoning_score, score_components, inference_total, inference_failure_count,
      execution_time, logs_s3_key
    from problem_progress`;
  t.deepEqual(row, { status: 'DONE', ...told });
});

test('of several reasons to submit sooner the soonest counts, and none makes anybody wait longer', async (t) => {
  const { sql } = await openRows(t);
  await sql`update miner set next_allowed_at = ${at(100)}`;
  const shorten = async (...seconds: readonly number[]) => {
    const rows = seconds.map((each) => ({ miner_hotkey: 'miner', until: at(each) }));
    await sql`select rt.eval_shorten_cooldowns(${sql.json(rows)})`;
    const [row] = await sql<{ until: Date }[]>`select next_allowed_at as until from miner`;
    return row?.until.toISOString();
  };

  t.is(await shorten(90, 70, 80), at(70));
  t.is(await shorten(200), at(70));
});

// One hotkey may have several in one commit, and the mailbox has them in no order that could be relied on.
test('submissions of one hotkey are numbered, and queue, in the order in which they came', async (t) => {
  const { sql, suiteId } = await openRows(t);
  await sql`update suite set is_active = suite_id = ${suiteId}`;
  const submission = (second: number) => ({
    ...{ cmd: 'c', agent_version_id: randomId(), work_item_id: randomId(), agent_name: 'one' },
    ...{
      agent_id: '00000000-0000-4000-8000-000000000001',
      miner_hotkey: 'other',
      suite_id: suiteId,
    },
    ...{ miner_coldkey: `cold ${second}`, code_sha256: String(second), code_size_bytes: 1 },
    ...{ submitted_at: at(second), next_allowed_at: at(second), required_successes: 2 },
    queue_spacing_ms: 60_000,
  });
  const rows = [3, 1, 2].map(submission);

  await transaction(sql, {}, (tx) => tx`select rt.eval_admit_submissions(1, ${sql.json(rows)})`);

  const admitted = await sql<{ code: string; number: number; queuedAt: Date }[]>`
    select code_sha256 as code, version_number as number, queue_order_at as "queuedAt"
    from agent_version v join work_item w using (agent_version_id)
    where v.miner_hotkey = 'other' order by version_number`;
  t.deepEqual(
    admitted.map(({ code, number, queuedAt }) => [code, number, queuedAt.toISOString()]),
    [
      ['1', 1, at(1)],
      ['2', 2, at(61)],
      ['3', 3, at(121)],
    ],
  );
  const [miner] = await sql`select coldkey from miner where hotkey = 'other'`;
  t.deepEqual(miner, { coldkey: 'cold 3' });
});
