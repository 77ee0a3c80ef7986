import test, { type ExecutionContext } from 'ava';
import { everyCheck } from '../../../apps/verify/live/checks/every-check.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { shortCooldowns } from '../../sim/report/short-cooldowns.ts';
import { testDatabase } from '../../support/cluster.ts';
import { addSuite, claimRun, type Desk, openWorld } from '../../support/eval-desk.ts';
import { completion, episode, submission } from '../../support/eval-world.ts';
import { until } from '../../support/until.ts';

/** Of a single miner: how long it may not submit, from now on. */
async function cooldownSeconds(sql: Sql): Promise<number> {
  const [row] = await sql<{ seconds: number }[]>`
    select extract(epoch from next_allowed_at - rt.clock())::float8 as seconds from miner`;
  return row?.seconds ?? Number.NaN;
}

async function switchSuite(sql: Sql, desk: Desk, suiteId: number): Promise<void> {
  await sql`update suite set is_active = suite_id = ${suiteId}`;
  await desk.ok('suite-activated', { suiteId });
}

async function submittedOnce(t: ExecutionContext) {
  const { sql, desk } = await openWorld(t);
  const suites = [await addSuite(sql, 1), await addSuite(sql, 2)] as const;
  await desk.ok('submit-version', submission(1, { suiteId: suites[0] }));
  return { sql, desk, suites };
}

test('what a switch of the suite cancels frees its miner as soon as a discard would', async (t) => {
  const { sql, desk, suites } = await submittedOnce(t);

  await switchSuite(sql, desk, suites[1]);

  const [version] = await sql`select state from agent_version`;
  t.is(version?.['state'], 'CANCELLED');
  const seconds = await cooldownSeconds(sql);
  t.true(seconds > 0 && seconds <= 3_600, `${seconds}`);
});

test('a cooldown that ends sooner anyway is as it was', async (t) => {
  const { sql, desk, suites } = await submittedOnce(t);
  await sql`update miner set next_allowed_at = rt.clock() + interval '10 minutes'`;

  await switchSuite(sql, desk, suites[1]);

  t.true((await cooldownSeconds(sql)) <= 600);
});

test('what was eligible before a switch keeps the cooldown that it began', async (t) => {
  const { sql, desk, suites } = await submittedOnce(t);
  for (const validator of ['val-a', 'val-b']) {
    const own = await claimRun(desk, validator);
    await desk.ok('append-results', { ...own, results: [0, 1, 2].map((index) => episode(index)) });
    await desk.ok('complete-run', { ...own, ...completion() });
  }

  await switchSuite(sql, desk, suites[1]);

  const [version] = await sql`select state from agent_version`;
  t.is(version?.['state'], 'ELIGIBLE');
  t.true((await cooldownSeconds(sql)) > 3_600);
});

test('who submits again after a switch is in nobody’s way, and who does without one is', async (t) => {
  const { sql, desk, suites } = await submittedOnce(t);
  const again = async (index: number) => {
    // The hour is over.
    await sql`update miner set next_allowed_at = rt.clock()`;
    const { minerHotkey, agentName, agentId } = submission(1);
    const same = { minerHotkey, agentName, agentId, suiteId: suites[1] };
    await desk.ok('submit-version', submission(index, same));
  };
  const hurried = async () => {
    const found = everyCheck
      .filter(({ id, of }) => id === 'INV-22' && of === 'audit.submissions')
      .map(({ find }) => find(sql, { cooldownMs: 64_800_000 }));
    return (await Promise.all(found)).flat().length;
  };
  await switchSuite(sql, desk, suites[1]);
  t.deepEqual(await shortCooldowns(sql), []);

  await again(2);
  t.is(await hurried(), 0);
  await again(3);
  t.is(await hurried(), 1);
});

// Each partition cancels its own versions at a switch, and those of one miner are in many of them.
test('miners are locked in the order of their hotkeys, whatever the order of a batch', async (t) => {
  const { sql } = await testDatabase(t);
  const hotkeys = Array.from({ length: 9 }, (_, index) => `miner-${index}`);
  await sql`
    insert into miner (hotkey, next_allowed_at)
    select unnest(${hotkeys}::text[]), rt.clock() + interval '1 hour'`;
  const row = (hotkey: string) => ({ miner_hotkey: hotkey, until: new Date() });
  const operations = { shorten_cooldown: hotkeys.toReversed().map(row) };
  let applied: Promise<unknown> | undefined;

  await transaction(sql, {}, async (holder) => {
    await holder`select from miner where hotkey = 'miner-4' for update`;
    applied = transaction(sql, {}, async (tx) => {
      await tx`set local lock_timeout = 0`;
      await tx`select eval_apply(0, 1, ${JSON.stringify(operations)}::text::jsonb, rt.clock())`;
    });
    await until(async () => {
      const waiting = await sql`
        select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
      return waiting.length === 1;
    });
    const free = await sql<{ hotkey: string }[]>`
      select hotkey from miner order by hotkey for update skip locked`;
    t.deepEqual(
      free.map(({ hotkey }) => hotkey),
      hotkeys.slice(5),
    );
  });
  await applied;
});
