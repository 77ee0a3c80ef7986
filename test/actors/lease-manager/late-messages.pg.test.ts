import test from 'ava';
import type { Sql } from '../../../infra/ports/sql.ts';
import { addSuite, claimOf, claimRun, openWorld } from '../../support/eval-desk.ts';
import { submission } from '../../support/eval-world.ts';

async function stateOf(sql: Sql): Promise<string | undefined> {
  const [row] = await sql<{ state: string }[]>`select state from agent_version`;
  return row?.state;
}

async function activate(sql: Sql, suiteId: number): Promise<void> {
  await sql`update suite set is_active = false`;
  await sql`update suite set is_active = true where suite_id = ${suiteId}`;
}

// Durable messages come late and out of order: the sweeper repeats what the broker lost.
test('the news of a suite that is active no more cancels nothing', async (t) => {
  const { sql, desk } = await openWorld(t);
  const former = await addSuite(sql, 1);
  const active = await addSuite(sql, 2);
  await activate(sql, active);
  await desk.ok('submit-version', submission(1, { suiteId: active }));

  await desk.ok('suite-activated', { suiteId: former });
  t.is(await stateOf(sql), 'QUEUED');

  await activate(sql, former);
  await desk.ok('suite-activated', { suiteId: former });
  t.is(await stateOf(sql), 'CANCELLED');
});

/** The suite is active as if by an order that was so much later than the first submission. */
async function activatedAfter(sql: Sql, seconds: number): Promise<void> {
  await sql`
    update suite
    set activated_at = (select min(submitted_at) from agent_version) + ${seconds} * interval '1 second'
    where is_active`;
}

for (const news of [[2, 1], [1, 2], [1]]) {
  test(`a suite that is back before the news comes has none of its old queue: ${news}`, async (t) => {
    const { sql, desk } = await openWorld(t);
    const suites = [await addSuite(sql, 1), await addSuite(sql, 2)] as const;
    await activate(sql, suites[0]);
    await desk.ok('submit-version', submission(1, { suiteId: suites[0] }));
    await activatedAfter(sql, 10);

    for (const index of news) await desk.ok('suite-activated', { suiteId: suites[index - 1] });

    t.is(await stateOf(sql), 'CANCELLED');
  });
}

// The clock of whoever took it may be a little behind the one that orders are written by.
test('what was submitted since a suite is back stays in its queue', async (t) => {
  const { sql, desk } = await openWorld(t);
  const suiteId = await addSuite(sql);
  await desk.ok('submit-version', submission(1, { suiteId }));
  await activatedAfter(sql, 1);

  await desk.ok('suite-activated', { suiteId });

  t.is(await stateOf(sql), 'QUEUED');
});

test('a version of before a switch does not come back to the queue of after it', async (t) => {
  const { sql, desk } = await openWorld(t);
  const suiteId = await addSuite(sql);
  await desk.ok('submit-version', submission(1, { suiteId }));
  const [version] = await sql<{ agentVersionId: string }[]>`
    select agent_version_id as "agentVersionId" from agent_version`;
  await desk.ok('discard-version', { ...version, reason: 'x' });
  await activatedAfter(sql, 10);

  await desk.ok('reinstate-version', { ...version });

  t.is(await stateOf(sql), 'CANCELLED');
});

test('the news of a ban that was lifted holds no work', async (t) => {
  const { sql, desk } = await openWorld(t);
  await addSuite(sql);
  await desk.ok('submit-version', submission(1));

  await desk.ok('hotkey-unbanned', { hotkey: 'miner-1' });
  await desk.ok('hotkey-banned', { hotkey: 'miner-1' });

  const { run } = await desk.ok('claim-work', claimOf('val-a'));
  t.not(run, null);
});

test('the news of a lifted ban frees no work of a hotkey that is banned again', async (t) => {
  const { sql, desk } = await openWorld(t);
  await addSuite(sql);
  await desk.ok('submit-version', submission(1));
  const own = await claimRun(desk, 'val-a');
  await sql`insert into hotkey_ban (hotkey, reason, banned_at) values ('miner-1', 'x', now())`;

  await desk.ok('hotkey-banned', { hotkey: 'miner-1' });
  await desk.ok('hotkey-unbanned', { hotkey: 'miner-1' });

  const { run } = await desk.ok('claim-work', claimOf('val-b'));
  t.is(run, null);
  // Nobody spends a banned miner's credential: the run under way was let go.
  const { reply } = await desk.do('heartbeat', own);
  t.like(reply, { kind: 'fault', code: 'LEASE_EXPIRED' });
  const [ended] = await sql<{ endReason: string }[]>`
    select end_reason as "endReason" from evaluation_run`;
  t.is(ended?.endReason, 'MINER_BANNED');
});

// Its answer is in the inbox for seven days; after that only the version itself can tell.
test('a version that was submitted and ended before is not submitted again', async (t) => {
  const { sql, desk } = await openWorld(t);
  const suiteId = await addSuite(sql);
  await desk.ok('submit-version', submission(1, { suiteId }));
  const next = await addSuite(sql, 2);
  await activate(sql, next);
  await desk.ok('suite-activated', { suiteId: next });
  await desk.takeOver();

  const { reply } = await desk.do('submit-version', submission(1, { suiteId: next }));

  t.like(reply, { kind: 'fault', code: 'IDEMPOTENCY_CONFLICT' });
});

// As after an upgrade, or a way back from one: the other version's messages are in the outbox still.
test('a message that cannot be read is not consumed, while a request is refused', async (t) => {
  const { sql, desk } = await openWorld(t);
  await addSuite(sql);

  for (const type of ['race-started', 'discard-version', 'hotkey-banned']) {
    await t.throwsAsync(desk.do(type, { of: 'another version' }), {
      message: new RegExp(`the message ${type} .* cannot be read`),
    });
  }

  const { reply } = await desk.do('claim-work', { of: 'another version' });
  t.like(reply, { kind: 'fault', code: 'VALIDATION_FAILED' });
});
