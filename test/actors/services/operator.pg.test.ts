import { isDeepStrictEqual } from 'node:util';
import test from 'ava';
import { auditHash, genesisHash } from '../../../actors/services/operator/audit-entry.ts';
import { Fault } from '../../../machines/fault.ts';
import { holdLock, type Take } from '../../support/held-lock.ts';
import { deskTasks, openOperatorDesk, packSha256 } from '../../support/operator-desk.ts';
import { until } from '../../support/until.ts';

test('the same pack again answers the same', async (t) => {
  const { admin, register } = await openOperatorDesk(t);
  const first = await register();
  t.deepEqual(first.familyCounts, { shop: 6, voucher: 6 });
  t.deepEqual(await register(), first);
  t.is((await admin`select 1 from pack_task`).length, 12);
});

test('the tasks of a pack are kept in their order and as they are written', async (t) => {
  const { admin, register } = await openOperatorDesk(t);
  const goals = ['Say "buy", {a,b}', 'C:\\new', 'NULL', ' two\nlines ', 'für 🛒', "it's"];
  const tasks = goals.map((goalText, n) => ({ taskId: `t-${9 - n}`, family: 'f', goalText }));
  await register(packSha256, tasks);
  const kept = await admin`
    select task_id as "taskId", family, goal_text as "goalText" from pack_task order by ordinal`;
  t.deepEqual([...kept], tasks);
});

test('while the tasks of a pack are kept, others give their orders', async (t) => {
  const { admin, service, command, register } = await openOperatorDesk(t);
  let kept: ReturnType<typeof register> | undefined;
  const take: Take = (tx) => tx`lock table pack_task in share mode`;
  await holdLock(admin, take, async () => {
    kept = register();
    // Its failure is told where it is waited for.
    kept.catch(() => undefined);
    const isKept = async () => {
      const waiting = await admin`
        select from pg_locks
        where relation = 'pack_task'::regclass and not granted
          and database = (select oid from pg_database where datname = current_database())`;
      return waiting.length === 1;
    };
    await until(isKept);
    await service['ban-hotkey']({ hotkey: 'alice', reason: 'cheats' }, command());
  });
  t.is((await kept)?.taskCount, 12);
  const entries = await admin<{ action: string }[]>`select action from audit_log order by seq`;
  t.deepEqual(
    entries.map(({ action }) => action),
    ['hotkey.ban', 'pack.register'],
  );
});

test('a pack that comes several times at once is kept once', async (t) => {
  const { admin, register } = await openOperatorDesk(t);
  const answers = await Promise.all(Array.from({ length: 4 }, () => register()));
  t.true(answers.every((answer) => isDeepStrictEqual(answer, answers[0])));
  t.is((await admin`select 1 from pack_task`).length, 12);
  const entries = await admin<{ isNew: boolean }[]>`
    select detail ? 'task_count' as "isNew" from audit_log order by seq`;
  t.deepEqual(entries.map(({ isNew }) => isNew).toSorted(), [false, false, false, true]);
});

test('an order for a pack that is refused leaves no pack', async (t) => {
  const { admin, service, command, register } = await openOperatorDesk(t);
  const once = command();
  await service['ban-hotkey']({ hotkey: 'alice', reason: 'cheats' }, once);
  const error = await t.throwsAsync(() => register(packSha256, deskTasks, once), {
    instanceOf: Fault,
  });
  t.is(error?.code, 'IDEMPOTENCY_CONFLICT');
  t.is((await admin`select 1 from pack`).length, 0);
  t.is((await admin`select 1 from pack_task`).length, 0);
});

test('an envpack suite draws its tasks balanced over families, in pack order', async (t) => {
  const { admin, service, command, suite, register } = await openOperatorDesk(t);
  await register();
  const documentSha256 = suite({
    executionKind: 'envpack',
    envPackSha256: packSha256,
    problems: [],
  });
  const kept = await service['create-suite']({ documentSha256, reason: null }, command());
  t.is(kept.suiteVersion, 1);
  t.false(kept.isActive);
  t.is(kept.environment['display_name'], 'Demo');
  const roster = await admin<{ task_id: string; family: string; problem_id: string }[]>`
    select task_id, family, problem_id from suite_problem order by ordinal`;
  t.deepEqual(roster.map(({ family }) => family).sort(), ['shop', 'shop', 'voucher', 'voucher']);
  const numbers = roster.map(({ task_id }) => Number(task_id.slice(5)));
  t.deepEqual(
    numbers,
    numbers.toSorted((left, right) => left - right),
  );
  t.true(roster.every(({ problem_id }) => /^.{14}5/.test(problem_id)));
});

test('a legacy suite keeps embeddings apart and race problems held out', async (t) => {
  const { admin, service, command, suite } = await openOperatorDesk(t);
  await service['create-suite']({ documentSha256: suite(), reason: null }, command());
  const rows = await admin`
    select phase, category, metadata, embeddings from suite_problem order by phase`;
  t.deepEqual(
    [...rows],
    [
      {
        phase: 'QUALIFYING',
        category: 'Shop',
        metadata: { category: 'Shop' },
        embeddings: { a: [1] },
      },
      { phase: 'RACE', category: 'Held out', metadata: { category: 'Held out' }, embeddings: null },
    ],
  );
  const [kept] = await admin`
    select qualifying_threshold, required_successes_qualifying, required_successes_race from suite`;
  t.deepEqual(kept, {
    qualifying_threshold: '0.5500',
    required_successes_qualifying: 2,
    required_successes_race: 3,
  });
});

test('a suite that makes no sense is refused and leaves nothing', async (t) => {
  const { admin, service, command, suite, register } = await openOperatorDesk(t);
  await register();
  const envpack = { executionKind: 'envpack', envPackSha256: packSha256 };
  for (const [fields, code] of [
    [{ problems: [] }, 'VALIDATION_FAILED'],
    [{ envPackSha256: packSha256 }, 'VALIDATION_FAILED'],
    [{ executionKind: 'envpack' }, 'VALIDATION_FAILED'],
    [{ executionKind: 'envpack', envPackSha256: 'cd'.repeat(32) }, 'PACK_NOT_FOUND'],
    [{ ...envpack, qualifyingTaskIds: ['task-1', 'nothing'] }, 'VALIDATION_FAILED'],
    [{ ...envpack, qualifyingTaskIds: ['task-1', 'task-1'] }, 'VALIDATION_FAILED'],
  ] as const) {
    const asked = { documentSha256: suite(fields), reason: null };
    const error = await t.throwsAsync(() => service['create-suite'](asked, command()), {
      instanceOf: Fault,
    });
    t.is(error?.code, code);
  }
  t.is((await admin`select 1 from suite`).length, 0);
  t.is((await admin`select 1 from audit_log`).length, 1);
});

test('one suite is active, and every partition of evaluations and races is told of it once', async (t) => {
  const { admin, service, command, suite, published } = await openOperatorDesk(t);
  const first = await service['create-suite']({ documentSha256: suite(), reason: null }, command());
  const second = await service['create-suite'](
    { documentSha256: suite(), reason: null },
    command(),
  );
  t.is(second.suiteVersion, first.suiteVersion + 1);
  await service['activate-suite']({ suiteId: first.suiteId, reason: null }, command());
  const repeated = command();
  const asked = { suiteId: second.suiteId, reason: null };
  const answer = await service['activate-suite'](asked, repeated);
  t.true(answer.isActive);
  t.deepEqual(await service['activate-suite'](asked, repeated), answer);
  const active = await admin`select suite_id from suite where is_active`;
  t.deepEqual([...active], [{ suite_id: second.suiteId }]);
  const sent = await admin<{ target: string }[]>`
    select target_kind || '/' || target_part as target from rt.outbox
    where body = ${admin.json({ suiteId: second.suiteId })}`;
  const partitions = [
    ...Array.from({ length: 64 }, (_, part) => `eval/${part}`),
    ...Array.from({ length: 4 }, (_, part) => `race/${part}`),
  ];
  t.deepEqual(sent.map(({ target }) => target).sort(), partitions.toSorted());
  const told = published.filter(({ body }) => JSON.stringify(body).includes(`${second.suiteId}`));
  t.is(new Set(told.map(({ subject }) => subject)).size, 68);
  t.is(told.length, 68);
  await t.throwsAsync(() => service['activate-suite']({ suiteId: 99, reason: null }, command()), {
    message: /no such suite/,
  });
});

test('a ban ends sessions and is lifted once', async (t) => {
  const { admin, service, command } = await openOperatorDesk(t);
  await admin`
    insert into session (token_sha256, hotkey, role, created_at, expires_at)
    values ('x', 'alice', 'miner', rt.clock(), rt.clock() + interval '1 hour')`;
  const ban = await service['ban-hotkey']({ hotkey: 'alice', reason: 'cheats' }, command());
  const again = await service['ban-hotkey']({ hotkey: 'alice', reason: 'again' }, command());
  t.deepEqual(again, ban);
  t.is((await admin`select 1 from session`).length, 0);
  const lift = { hotkey: 'alice', reason: null };
  t.deepEqual(await service['unban-hotkey'](lift, command()), { hotkey: 'alice', wasBanned: true });
  t.deepEqual(await service['unban-hotkey'](lift, command()), {
    hotkey: 'alice',
    wasBanned: false,
  });
});

test('a key with another request is a conflict', async (t) => {
  const { service, command } = await openOperatorDesk(t);
  const once = command();
  await service['ban-hotkey']({ hotkey: 'alice', reason: 'cheats' }, once);
  const error = await t.throwsAsync(
    () => service['ban-hotkey']({ hotkey: 'bob', reason: 'cheats' }, once),
    { instanceOf: Fault },
  );
  t.is(error?.code, 'IDEMPOTENCY_CONFLICT');
});

test('every order has one entry, and the entries form a chain, also when made at once', async (t) => {
  const { admin, service, command } = await openOperatorDesk(t);
  await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      service['ban-hotkey']({ hotkey: `key-${index}`, reason: 'ä "quoted"' }, command()),
    ),
  );
  const entries = await admin<
    {
      seq: string;
      actor: string;
      action: string;
      object: string;
      reason: string;
      detail: Record<string, unknown>;
      prev_hash: string;
      hash: string;
      committed_at: Date;
    }[]
  >`
    select seq, actor, action, object, reason, detail, prev_hash, hash, committed_at
    from audit_log order by seq`;
  t.is(entries.length, 10);
  let prevHash = genesisHash;
  for (const [index, entry] of entries.entries()) {
    t.is(Number(entry.seq), index + 1);
    t.is(entry.prev_hash, prevHash);
    const { actor, action, object, reason, detail } = entry;
    const committedAtMs = entry.committed_at.getTime();
    const facts = { actor, action, object, reason, detail };
    t.is(entry.hash, auditHash({ ...facts, seq: index + 1, prevHash, committedAtMs }));
    t.is(actor, 'operator:ann');
    prevHash = entry.hash;
  }
});
