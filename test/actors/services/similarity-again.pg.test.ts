import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import {
  readVersion,
  reportNext,
  reportNextAgain,
} from '../../../actors/services/similarity/similarity.actor.ts';
import {
  beginning,
  leaseUnread,
  registerVersions,
} from '../../../actors/services/similarity/store.ts';
import { similarityPage } from '../../../apps/edge/reads/similarity.ts';
import { sha256Hex } from '../../../infra/ids/ids.ts';
import type { Sql, Transaction } from '../../../infra/ports/sql.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { disguised, program, textOf } from '../../support/python-programs.ts';
import {
  lookAtAll,
  plantVersions,
  type SimilarityWorld,
  similarityWorld,
  verdictsOf,
} from '../../support/similarity-world.ts';
import { until } from '../../support/until.ts';

// What was submitted behind a file that comes late is reported on again, one after the other, from a place that is
// kept in a row. Wherever somebody dies or another file comes late, the verdicts in the end are those of files that
// were all there from the beginning; until a new one is made the former is listed.

const [first = '', second = '', third = '', fourth = ''] = fc
  .sample(program(3), { numRuns: 4, seed: 9 })
  .map((made) => textOf(made));

/** All are reported on, but for those whose files the store has not. */
async function worldWithout(
  t: ExecutionContext,
  texts: readonly string[],
  withheld: readonly string[],
): Promise<SimilarityWorld> {
  const world = await similarityWorld(t, texts);
  const { deps, hasten } = world;
  const away = withheld.map((text) => sha256Hex(text));
  const readCode = async (sha256: string) =>
    away.includes(sha256) ? undefined : await deps.readCode(sha256);
  for (let tries = 0; tries < 4; tries += 1) {
    await hasten();
    await lookAtAll(world, { ...deps, readCode });
  }
  await hasten();
  return world;
}

/** Reads what is due; answers how many files that were. */
async function readAll({ sql, deps }: SimilarityWorld): Promise<number> {
  for (let count = 0; ; count += 1) {
    const held = await leaseUnread(sql, 60_000);
    if (held === undefined) return count;
    await readVersion(deps, held);
  }
}

/** What operators see, in the order of submission; null where a version is not in their list. */
async function listed({ admin, ids }: SimilarityWorld) {
  const { rows } = await similarityPage(admin, { verdict: undefined, limit: 100, offset: 0 });
  return ids.map((id) => rows.find((row) => row.agentVersionId === id)?.verdict ?? null);
}

async function count(each: () => Promise<boolean>): Promise<number> {
  let times = 0;
  while (await each()) times += 1;
  return times;
}

class Killed extends Error {}

/** Whoever reports dies before it commits. */
const dying = ({ deps }: SimilarityWorld) => ({
  ...deps,
  transact: <T>(body: (tx: Transaction) => Promise<T>) =>
    deps.transact(async (tx): Promise<T> => {
      await body(tx);
      throw new Killed();
    }),
});

const texts = [first, second, disguised(second), third, disguised(first), disguised(second)];
const judged = ['clean', 'clean', 'copy', 'clean', 'copy', 'copy'];

test('a former verdict is listed until the new one is there, whoever dies meanwhile', async (t) => {
  const world = await worldWithout(t, texts, [second]);
  const { deps } = world;
  t.deepEqual(await listed(world), ['clean', null, 'clean', 'clean', 'copy', 'copy']);

  t.is(await readAll(world), 1);
  t.deepEqual(await listed(world), ['clean', null, 'clean', 'clean', 'copy', 'copy']);
  t.is(await count(() => reportNext(deps)), 1, 'the file that is back, before all others');
  t.deepEqual(await listed(world), ['clean', 'clean', 'clean', 'clean', 'copy', 'copy']);
  await t.throwsAsync(reportNextAgain(dying(world)), { instanceOf: Killed });
  t.deepEqual(await listed(world), ['clean', 'clean', 'clean', 'clean', 'copy', 'copy']);
  t.true(await reportNextAgain(deps));
  t.deepEqual(await listed(world), judged);
  await t.throwsAsync(reportNextAgain(dying(world)), { instanceOf: Killed });

  t.is(await count(() => reportNextAgain(deps)), 3);
  t.deepEqual(await listed(world), judged);
});

test('of several files that are back in one round, the earliest is gone back to', async (t) => {
  const world = await worldWithout(t, texts, [first, third]);
  const { deps } = world;
  t.is(await readAll(world), 2);

  t.is(await count(() => reportNext(deps)), 2);
  t.is(await count(() => reportNextAgain(deps)), 5, 'each behind the first, once');
  t.deepEqual(await listed(world), judged);
  t.false(await reportNextAgain(deps));
});

test('an earlier one that is back on the way is gone back to', async (t) => {
  const world = await worldWithout(t, texts, [first, third]);
  const { admin, deps } = world;
  const only = (text: string) => admin`
    update similarity_version
    set next_attempt_at = case when code_sha256 = ${sha256Hex(text)} then now() else now() + interval '30 minutes' end
    where fingerprinted_at is null`;
  await only(third);
  await readAll(world);
  await count(() => reportNext(deps));
  t.true(await reportNextAgain(deps));
  await only(first);
  await readAll(world);

  t.is(await count(() => reportNext(deps)), 1);
  t.is(await count(() => reportNextAgain(deps)), 5);
  t.deepEqual(await listed(world), judged);
});

test('a new version waits for none of them, and is reported on again in its turn', async (t) => {
  const world = await worldWithout(t, texts, [second]);
  const { admin, deps } = world;
  await readAll(world);
  await count(() => reportNext(deps));
  const id = randomUUID();
  await plantVersions(admin, { ids: [id], texts: [fourth], minutes: [50] });
  await register(world);
  await readAll({ ...world, deps: { ...deps, readCode: async () => Buffer.from(fourth) } });

  t.true(await reportNext(deps));
  t.deepEqual(await verdictsOf({ ...world, ids: [id] }), ['clean']);
  t.is(await count(() => reportNextAgain(deps)), 5);
  t.deepEqual(await listed(world), judged);
});

const register = ({ deps }: SimilarityWorld) =>
  deps.transact((tx) => registerVersions(tx, { limit: 500, after: beginning }));

/** Sets what it is asked for about when its reporter has looked, and lets that one go on when it may. */
function slowly({ deps }: SimilarityWorld) {
  const [looked, onward] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const transact = <T>(body: (tx: Transaction) => Promise<T>) =>
    deps.transact(async (tx) => {
      const result = await body(tx);
      looked.resolve();
      await onward.promise;
      return result;
    });
  return { deps: { ...deps, transact }, looked: looked.promise, goOn: () => onward.resolve() };
}

/** Until `work` is over, or waits for whoever has the place. */
async function asFarAsItGets(admin: Sql, work: Promise<unknown>): Promise<void> {
  let isOver = false;
  void work.then(() => {
    isOver = true;
  });
  await until(async () => {
    const waiting = await admin`
      select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    return isOver || waiting.length > 0;
  });
}

// Between the place and the version to which it is just being moved: the report does not know of it.
test('one that comes late while the next is reported on again is not passed by', async (t) => {
  const world = await worldWithout(
    t,
    [first, second, disguised(third), disguised(second)],
    [second],
  );
  const { admin, deps } = world;
  await readAll(world);
  await count(() => reportNext(deps));
  const slow = slowly(world);
  const reporting = reportNextAgain(slow.deps);
  await slow.looked;

  // Behind the second, before what copies it.
  const id = randomUUID();
  await plantVersions(admin, { ids: [id], texts: [third], minutes: [5] });
  const registering = register(world);
  await asFarAsItGets(admin, registering);
  slow.goOn();
  t.true(await reporting);
  t.not(await registering, 'busy');
  const readCode = async () => Buffer.from(third);
  await lookAtAll(world, { ...deps, readCode });

  t.deepEqual(await listed(world), ['clean', 'clean', 'copy', 'copy']);
});

test('a file that is back while others are reported on again holds up nobody, nor itself', async (t) => {
  const world = await worldWithout(t, texts, [first, second]);
  const { admin, sql, deps } = world;
  const [one, two] = [await leaseUnread(sql, 60_000), await leaseUnread(sql, 60_000)];
  if (!(one && two)) return t.fail('both are to be read');
  await readVersion(deps, one);
  await count(() => reportNext(deps));
  const slow = slowly(world);
  // Of the very version whose file is given back meanwhile.
  const reporting = reportNextAgain(slow.deps);
  await slow.looked;
  const reading = readVersion(deps, two);
  await asFarAsItGets(admin, reading);
  slow.goOn();
  t.true(await reporting);
  await reading;
  await lookAtAll(world, deps);

  t.deepEqual(await listed(world), judged);
});

// Whose files are there, three processes read in any order.
test('a version whose miner’s later one was read first is what a copy between the two is of', async (t) => {
  const world = await similarityWorld(t, [first, disguised(first), `${first}\nextra = [1]\n`]);
  const { admin, sql, deps, ids } = world;
  await admin`
    update similarity_version v set miner_hotkey = o.miner_hotkey, author = o.author
    from similarity_version o
    where v.agent_version_id = ${ids[2] ?? ''} and o.agent_version_id = ${ids[0] ?? ''}`;
  const lease = () => leaseUnread(sql, 60_000);
  const [one, copy, later] = [await lease(), await lease(), await lease()];
  if (!(one && copy && later)) return t.fail('all are to be read');

  for (const held of [later, one, copy]) await readVersion(deps, held);
  await count(() => reportNext(deps));

  t.deepEqual(await listed(world), ['clean', 'copy', 'clean']);
});

// They withdraw all at once, and know of no place.
test('coordinators of before may be at it as well', async (t) => {
  const world = await worldWithout(t, texts, [second]);
  const { admin, deps } = world;
  await readAll(world);
  await admin`update similarity_version set reported_at = null where submitted_at > '2026-11-01 00:07'`;

  t.false(await reportNextAgain(deps), 'one before it was never reported on');
  t.true(await reportNext(deps));
  t.true(await reportNextAgain(deps));
  await lookAtAll(world, deps);

  t.deepEqual(await listed(world), judged);
});

test('whoever waits for a version that is held passes it by for now', async (t) => {
  const world = await worldWithout(t, texts, [second]);
  const { admin, deps } = world;
  await readAll(world);
  await count(() => reportNext(deps));

  await transaction(admin, {}, async (tx) => {
    await tx`select from similarity_version for update`;
    t.false(await reportNextAgain(deps));
  });
  t.is(await count(() => reportNextAgain(deps)), 4);
});
