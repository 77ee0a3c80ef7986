import { randomUUID } from 'node:crypto';
import test from 'ava';
import { type TimelineRow, timelineOf } from '../../../apps/edge/reads/timeline.ts';
import { toTimeline } from '../../../apps/edge/wire/timeline.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { testDatabase } from '../../support/cluster.ts';

const versionId = randomUUID();
const [first, second] = [randomUUID(), randomUUID()];
const work = randomUUID();
const noon = Date.parse('2026-01-02T12:00:00.000Z');

interface Planted {
  readonly of: readonly [machine: string, key: string, seq: number];
  readonly type: string;
  readonly command: string;
  readonly payload?: object;
  /** Milliseconds after noon. */
  readonly committed: number;
}

async function plant(sql: Sql, facts: readonly Planted[]): Promise<void> {
  for (const { of, type, command, payload, committed } of facts) {
    const [machine, key, seq] = of;
    await sql`
      insert into rt.event (kind, part, machine, key, seq, actor_key, type, type_version, payload,
        command_id, account, epoch, at)
      values ('eval', 0, ${machine}, ${key}, ${seq}, ${versionId}, ${type}, 1,
        ${JSON.stringify(payload ?? {})}::text::jsonb, ${command}, 'system', 1,
        ${new Date(noon + committed)})`;
  }
}

const told = async (sql: Sql) =>
  toTimeline(await timelineOf(sql, versionId), []).map(({ at, event }) => [
    event,
    Date.parse(at) - noon,
  ]);
const at = (ms: number) => ({ at: noon + ms });
const version = (seq: number) => ['agent-version', versionId, seq] as const;
const run = (key: string, seq: number) => ['evaluation-run', key, seq] as const;
const item = (seq: number) => ['work-item', work, seq] as const;

test('facts of one command have its instant, in the order in which they follow', async (t) => {
  const { sql } = await testDatabase(t);
  const submission = { version: { submittedAt: noon } };
  const failed = { command: 'failed', committed: 90 };
  const done = { command: 'done', committed: 140 };
  await plant(sql, [
    { of: version(1), type: 'RECEIVED', command: 'sent', payload: submission, committed: 40 },
    { of: version(2), type: 'QUEUED', command: 'sent', committed: 40 },
    // Decided and stored together with it.
    { of: run(first, 1), type: 'CLAIMED', command: 'claim', payload: at(10), committed: 40 },
    { of: run(second, 1), type: 'CLAIMED', command: 'claim 2', payload: at(20), committed: 40 },
    { of: run(first, 2), type: 'FAILED', payload: at(80), ...failed },
    { of: item(1), type: 'HELD', ...failed },
    { of: run(second, 2), type: 'CANCELLED', payload: at(120), ...done },
    { of: item(2), type: 'CLOSED', payload: at(120), ...done },
    { of: version(3), type: 'BECAME_ELIGIBLE', payload: at(120), ...done },
  ]);
  t.deepEqual(await told(sql), [
    ['submitted', 0],
    ['queued', 0],
    ['run_claimed', 10],
    ['run_claimed', 20],
    ['run_failed', 80],
    ['work_held', 80],
    ['work_closed', 120],
    ['eligible', 120],
    ['run_cancelled', 120],
  ]);
});

test('what has no instant is not later than what came of the same thing after it', async (t) => {
  const { sql } = await testDatabase(t);
  const together = { committed: 100 };
  await plant(sql, [
    { of: version(1), type: 'DISCARDED', command: 'a', payload: at(50), ...together },
    { of: version(2), type: 'REINSTATED', command: 'b', ...together },
    { of: item(1), type: 'REOPENED', command: 'b', ...together },
    { of: version(3), type: 'DISCARDED', command: 'c', payload: at(70), ...together },
    { of: version(4), type: 'REINSTATED', command: 'd', committed: 200 },
    { of: item(2), type: 'REOPENED', command: 'd', committed: 200 },
  ]);
  t.deepEqual(await told(sql), [
    ['discarded', 50],
    ['reinstated', 69],
    ['work_reopened', 69],
    ['discarded', 70],
    ['reinstated', 200],
    ['work_reopened', 200],
  ]);
});

test('of one instant, what came of one thing stands as it came', async (t) => {
  const { sql } = await testDatabase(t);
  const together = { committed: 130 };
  await plant(sql, [
    { of: run(first, 7), type: 'INCLUDED', command: 'a', payload: at(100), ...together },
    { of: run(first, 8), type: 'EXCLUDED', command: 'b', payload: at(100), ...together },
    { of: version(1), type: 'DISCARDED', command: 'c', payload: at(100), ...together },
    { of: version(2), type: 'REINSTATED', command: 'd', ...together },
    { of: version(3), type: 'DISCARDED', command: 'e', payload: at(100), ...together },
    { of: run(second, 9), type: 'EXCLUDED', command: 'f', payload: at(100), ...together },
  ]);
  t.deepEqual(await told(sql), [
    ['run_excluded', 100],
    ['run_included', 100],
    ['run_excluded', 100],
    ['discarded', 100],
    ['reinstated', 100],
    ['discarded', 100],
  ]);
});

test('what a cancelled race ended is not told, whatever the clock of its owner said', (t) => {
  const cancelled: TimelineRow = {
    atMs: noon - 5,
    ownMs: noon - 5,
    committedMs: noon + 5,
    machine: 'evaluation-run',
    key: first,
    seq: 2,
    type: 'CANCELLED',
    commandId: 'cancel',
    reason: 'RACE_CANCELLED',
    faultClass: null,
    claimedBy: null,
    phase: 'RACE',
    raceStatus: 'RACE_CANCELLED',
    raceReleasedAt: null,
    raceCancelledAtMs: noon,
    nowMs: noon + 1_000,
  };
  t.deepEqual(toTimeline([cancelled], []), []);
  const before = { ...cancelled, committedMs: noon - 1 };
  t.is(toTimeline([before], [])[0]?.at, new Date(noon - 5).toISOString());
});
