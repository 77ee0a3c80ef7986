import test from 'ava';
import { createEvalKind } from '../../../actors/lease-manager/lease-manager.actor.ts';
import type { Flush } from '../../../actors/runtime/partition-actor.ts';
import { idsWithin, uuidV5 } from '../../../infra/ids/ids.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { createPartitionStore } from '../../../infra/postgres/partition-store.ts';
import { evalPartitionOf } from '../../../machines/partition-of.ts';
import { testDatabase } from '../../support/cluster.ts';
import { addSuite, claimRun, openDesk } from '../../support/eval-desk.ts';
import { evalPolicy, submission } from '../../support/eval-world.ts';
import { silentTelemetry } from '../../support/silent-telemetry.ts';

const namespace = '00000000-0000-0000-0000-000000000000';

/** Counts what is asked through it. */
function counted(sql: Sql): { readonly sql: Sql; asked: number } {
  const counter = {
    asked: 0,
    sql: new Proxy(sql, {
      apply(target, self, args) {
        // Other calls are of helpers: a list of values, a name.
        if (Array.isArray(args[0]) && 'raw' in args[0]) counter.asked += 1;
        return Reflect.apply(target, self, args);
      },
    }),
  };
  return counter;
}

async function takenOver(sql: Sql, parts: readonly number[]) {
  const counter = counted(sql);
  const kind = createEvalKind({
    ...{ sql: counter.sql, policy: evalPolicy },
    ...{ ids: { uuidV5, idsWithin }, telemetry: silentTelemetry },
  });
  const nowMs = Date.now();
  const takeover = { parts };
  const actors = await Promise.all(
    parts.map((part) =>
      kind.activate(part, { takeover, nowMs, amnestyUntilMs: (leaseMs) => nowMs + leaseMs }),
    ),
  );
  return { asked: counter.asked, stats: actors.map((actor) => actor.stats()) };
}

/** The first that belongs to this partition. */
function submissionOf(part: number, suiteId: number) {
  for (let index = 0; ; index += 1) {
    const body = submission(index, {
      agentVersionId: uuidV5(namespace, `version ${index}`),
      suiteId,
    });
    if (evalPartitionOf(body.agentVersionId) === part) return { part, body };
  }
}

test('partitions that are taken over together ask as many questions as one, and each gets its own', async (t) => {
  const { sql } = await testDatabase(t);
  const suiteId = await addSuite(sql);
  const busy = [submissionOf(3, suiteId), submissionOf(4, suiteId)];
  for (const [index, { part, body }] of busy.entries()) {
    const desk = await openDesk(sql, part);
    await desk.ok('submit-version', body);
    for (let run = 0; run <= index; run += 1) await claimRun(desk, `validator-${part}-${run}`);
  }

  const alone = await takenOver(sql, [3]);
  const together = await takenOver(sql, [3, 4, 5]);

  t.deepEqual(
    together.stats.map(({ liveRuns, loadedVersions }) => ({ liveRuns, loadedVersions })),
    [
      { liveRuns: 1, loadedVersions: 1 },
      { liveRuns: 2, loadedVersions: 1 },
      { liveRuns: 0, loadedVersions: 0 },
    ],
  );
  t.true(alone.asked > 0);
  t.is(together.asked, alone.asked);
});

test('what outages moved is known to each next owner, and a flush that comes late moves nothing back', async (t) => {
  const { sql } = await testDatabase(t);
  const { part, body } = submissionOf(3, await addSuite(sql));
  const desk = await openDesk(sql, part);
  await desk.ok('submit-version', body);
  const { evalRunId } = await claimRun(desk, 'validator');
  const [run] = await sql<{ claimedAtMs: number }[]>`
    select rt.milliseconds(claimed_at)::float8 as "claimedAtMs"
    from evaluation_run where eval_run_id = ${evalRunId}`;
  const store = createPartitionStore(sql);
  let epoch = 100;
  /** As the claim of a partition writes it. */
  const takeOver = async (unservedMs: number) => {
    epoch += 1;
    await sql`
      insert into rt.unserved (kind, part, epoch, until, ms)
      values ('eval', ${part}, ${epoch}, rt.clock(), ${unservedMs})`;
    const kind = createEvalKind({
      ...{ sql, policy: evalPolicy, ids: { uuidV5, idsWithin }, telemetry: silentTelemetry },
    });
    const nowMs = Date.now();
    const amnestyUntilMs = (leaseMs: number) => nowMs + leaseMs;
    const takeover = { parts: [part] };
    const actor = await kind.activate(part, { takeover, nowMs, amnestyUntilMs, unservedMs });
    return { actor, flush: actor.takeFlush() ?? missing() };
  };
  const limitsOf = ({ rows }: Flush) =>
    rows.map(({ noProgressUntilMs, runLimitUntilMs }) => [noProgressUntilMs, runLimitUntilMs]);
  const { noProgressMs, runLimitMs } = evalPolicy;
  const movedBy = (byMs: number) => {
    const atMs = (run?.claimedAtMs ?? 0) + byMs;
    return [[atMs + noProgressMs, atMs + runLimitMs]];
  };

  const { flush: before } = await takeOver(2000);
  t.deepEqual(limitsOf(before), movedBy(2000));
  // The owner before was gone again before it could write anything down.
  const { actor, flush: after } = await takeOver(600_000);
  t.deepEqual(limitsOf(after), movedBy(602_000));
  await store.flush(part, after);
  await store.flush(part, before);
  t.deepEqual(limitsOf((await takeOver(1000)).flush), movedBy(603_000));
  // What an owner itself gave is in what it wrote, and in no time without an owner.
  actor.extendDeadlines(5000, Date.now());
  await store.flush(part, actor.takeFlush() ?? missing());
  t.deepEqual(limitsOf((await takeOver(1000)).flush), movedBy(608_000));
});

// What a database forgot when it was restored may have handed out any fence of the branch that is lost.
test('after a restore that was accepted no claim gets a fence of the lost branch', async (t) => {
  const { sql } = await testDatabase(t);
  const { part, body } = submissionOf(3, await addSuite(sql));
  const former = await openDesk(sql, part);
  await former.ok('submit-version', body);
  await claimRun(former, 'validator-a');
  await sql`select rt.advance_mark('0', null)`;
  await sql`select rt.accept_history(0, 0)`;

  const desk = await openDesk(sql, part);
  await desk.ok('release-run', await claimRun(desk, 'validator-b'));
  await claimRun(desk, 'validator-c');

  const [row] = await sql<{ floor: number }[]>`select rt.fence_floor()::float8 as floor`;
  const floor = row?.floor ?? 0;
  const runs = await sql<{ fence: number }[]>`
    select fence::float8 as fence from evaluation_run order by validator_hotkey`;
  t.true(floor > 1);
  t.deepEqual(
    runs.map(({ fence }) => fence),
    [1, floor, floor + 1],
  );
});

function missing(): never {
  throw new Error('a run that is taken over is written down');
}
