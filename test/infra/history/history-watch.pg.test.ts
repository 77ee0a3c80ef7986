import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { HistoryWatch, type HistoryWatchDeps } from '../../../infra/history/history-watch.ts';
import { createMarkFile } from '../../../infra/history/mark-file.ts';
import type { Mark, MarkCopy } from '../../../infra/ports/history.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { acceptHistory, createHistoryStore } from '../../../infra/postgres/history-store.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { testDatabase } from '../../support/cluster.ts';
import { silentLogger, silentTelemetry } from '../../support/silent-telemetry.ts';
import { until } from '../../support/until.ts';

const policy = { lookEveryMs: 20, copyEveryMs: 40 };

async function folder(t: ExecutionContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'paddock-history-'));
  t.teardown(() => rm(path, { recursive: true, force: true }));
  return path;
}

async function watch(
  t: ExecutionContext,
  sql: Sql,
  how: Partial<HistoryWatchDeps>,
): Promise<HistoryWatch> {
  const common = { clock: systemClock, log: silentLogger, telemetry: silentTelemetry };
  const store = createHistoryStore(sql);
  const made = new HistoryWatch({ store, copies: [], isKeeper: true, ...common, policy, ...how });
  await made.start();
  t.teardown(() => made.stop());
  return made;
}

interface Backup {
  /** Puts the history back to where it was, as a restored backup does. */
  restore(): Promise<void>;
}

async function backUp(sql: Sql): Promise<Backup> {
  const [history] = await sql`select genesis, branch from rt.history`;
  const marks = await sql`select * from rt.mark`;
  return {
    restore: async () => {
      await transaction(sql, {}, async (tx) => {
        await tx`lock rt.history, rt.mark`;
        await tx`delete from rt.mark`;
        await tx`delete from rt.history`;
        await tx`insert into rt.history ${tx(history as Record<string, unknown>)}`;
        await tx`insert into rt.mark ${tx(marks as unknown as Record<string, unknown>[])}`;
      });
    },
  };
}

const newest = async (sql: Sql) => (await createHistoryStore(sql).read([]))?.newest.seq ?? 0;

/** Until so many more marks were set than there were. */
async function moveOn(sql: Sql, marks: number): Promise<void> {
  const from = await newest(sql);
  await until(async () => (await newest(sql)) >= from + marks);
}

/** A copy in memory; its place can be away. */
function copy() {
  const state: { mark: Mark | undefined; isAway: boolean; reads: number; writes: number } = {
    mark: undefined,
    isAway: false,
    reads: 0,
    writes: 0,
  };
  const place: MarkCopy = {
    name: 'copy',
    read: async () => {
      state.reads += 1;
      if (state.isAway) throw new Error('away');
      return state.mark;
    },
    write: async (mark) => {
      if (state.isAway) throw new Error('away');
      state.writes += 1;
      state.mark = mark;
    },
  };
  return { state, place };
}

test('marks are a chain, and moving on is nothing to worry about', async (t) => {
  const { sql } = await testDatabase(t);
  const { state, place } = copy();
  const keeper = await watch(t, sql, { copies: [place] });
  const other = await watch(t, sql, { copies: [place], isKeeper: false });
  await until(() => state.writes > 3);
  const rows = await sql<{ hash: string; prev: string | null; before: string | null }[]>`
    select hash, prev_hash as prev, lag(hash) over (order by seq) as before from rt.mark`;
  t.true(rows.length > 3);
  t.true(rows.every(({ prev, before }) => prev === (before ?? '')));
  t.true(rows.every(({ hash }) => /^[0-9a-f]{64}$/.test(hash)));
  t.deepEqual([keeper.lost, other.lost], [undefined, undefined]);
  t.deepEqual([keeper.isOutdated, other.isOutdated], [false, false]);
});

test('a living process notices that the database went back, also without any copy', async (t) => {
  const { sql } = await testDatabase(t);
  let looks = 0;
  const keeper = await watch(t, sql, {
    onTime: () => {
      looks += 1;
    },
  });
  await moveOn(sql, 2);
  const backup = await backUp(sql);
  await moveOn(sql, 3);
  await backup.restore();
  await keeper.until(() => !keeper.isSound);
  t.like(keeper.lost, { objection: 'behind', where: 'memory' });
  const stayed = await newest(sql);
  const seen = looks;
  await until(() => looks >= seen + 3);
  t.is(await newest(sql), stayed, 'no mark is set while it is lost');
});

test('a process that starts afterwards knows by the copy', async (t) => {
  const { sql } = await testDatabase(t);
  const { state, place } = copy();
  const before = await watch(t, sql, { copies: [place] });
  await moveOn(sql, 2);
  const backup = await backUp(sql);
  await until(() => state.writes > 2);
  await moveOn(sql, 3);
  await until(async () => (state.mark?.seq ?? 0) > 3);
  await before.stop();
  await backup.restore();
  const writes = state.writes;
  const after = await watch(t, sql, { copies: [place] });
  t.false(after.isSound);
  t.like(after.lost, { objection: 'behind', where: 'copy' });
  const { reads } = state;
  await until(() => state.reads >= reads + 3);
  t.is(state.writes, writes, 'the copy is the only one that knows: nobody writes over it');
});

test('who moved on unseen, with the copy away, is found out by the hashes', async (t) => {
  const { sql } = await testDatabase(t);
  const { state, place } = copy();
  const before = await watch(t, sql, { copies: [place] });
  await moveOn(sql, 2);
  const backup = await backUp(sql);
  // The copy is of what the backup does not hold, or it could not tell.
  const backedUp = await newest(sql);
  await until(() => (state.mark?.seq ?? 0) > backedUp);
  await before.stop();
  state.isAway = true;
  await backup.restore();
  const after = await watch(t, sql, { copies: [place] });
  t.true(after.isSound, 'nobody is there who could say otherwise');
  await until(async () => (await newest(sql)) > (state.mark?.seq ?? 0) + 3);
  state.isAway = false;
  await until(() => !after.isSound);
  t.like(after.lost, { objection: 'forked', where: 'copy' });
});

test('a copy that could not be read is not written over in the same look', async (t) => {
  const { sql } = await testDatabase(t);
  const { state, place } = copy();
  const before = await watch(t, sql, { copies: [place] });
  await moveOn(sql, 2);
  const backup = await backUp(sql);
  await until(() => state.writes > 3);
  await before.stop();
  await backup.restore();
  const { writes } = state;
  let reads = 0;
  // It is away for each reader, and there again a moment later.
  const fickle: MarkCopy = {
    ...place,
    read: async () => {
      reads += 1;
      throw new Error('away');
    },
  };
  const after = await watch(t, sql, { copies: [fickle] });
  await until(() => reads > 3);
  t.is(state.writes, writes);
  t.true(after.isSound);
});

test('a copy that cannot be understood is counted until somebody has deleted it', async (t) => {
  const { sql } = await testDatabase(t);
  const at = await folder(t);
  const place = createMarkFile(at);
  const gauges = new Map<string, () => number>();
  const telemetry = {
    gauge: (name: string, read: () => number) => {
      gauges.set(name, read);
      return () => undefined;
    },
  };
  const unread = () => gauges.get('paddock.history.unread')?.();
  await watch(t, sql, { copies: [place], telemetry });
  const written = async () => (await readdir(at)).find((name) => name.endsWith('.json'));
  await until(async () => (await written()) !== undefined);
  t.is(unread(), 0);

  const file = join(at, (await written()) ?? '');
  await until(async () => {
    await writeFile(file, '{"half a ma');
    return unread() === 1;
  });
  await rm(file);
  await until(async () => unread() === 0 && (await written()) !== undefined);
  t.pass();
});

test('operators accept the loss: a branch above all that was lost, and everybody starts anew', async (t) => {
  const { sql } = await testDatabase(t);
  const { state, place } = copy();
  await sql`update rt.partition set epoch = 7 where kind = 'eval' and part = 0`;
  const keeper = await watch(t, sql, { copies: [place] });
  await moveOn(sql, 2);
  const backup = await backUp(sql);
  await moveOn(sql, 3);
  await until(() => (state.mark?.seq ?? 0) > 3);
  await backup.restore();
  await keeper.until(() => !keeper.isSound);
  const { kept } = keeper.lost ?? (t.fail() as never);
  await transaction(sql, {}, (tx) => acceptHistory(tx, kept));
  await keeper.until(() => keeper.isSound);
  t.true(keeper.isOutdated);
  t.is(keeper.branch, 1);
  await until(() => state.mark?.branch === 1);
  t.true((state.mark?.seq ?? 0) > kept.seq);
  const [row] = await sql<{ least: string; floor: string }[]>`
    select min(epoch) as least, rt.fence_floor() as floor from rt.partition`;
  t.deepEqual([row?.least, row?.floor], ['4294967296', '4294967296']);
  // A second loss of the same kind is found as the first one was.
  const fresh = await watch(t, sql, { copies: [place] });
  t.true(fresh.isSound);
  await backup.restore();
  await fresh.until(() => !fresh.isSound);
  t.like(fresh.lost, { objection: 'behind' });
});

test('another database behind the same name is none that this process may write to', async (t) => {
  const { sql } = await testDatabase(t);
  const keeper = await watch(t, sql, {});
  await moveOn(sql, 2);
  await sql`update rt.history set genesis = gen_random_uuid()`;
  await keeper.until(() => !keeper.isSound);
  t.like(keeper.lost, { objection: 'other' });
});

test('a file keeps the mark whole, whoever writes at once', async (t) => {
  const path = await folder(t);
  const file = createMarkFile(join(path, 'deep'));
  t.is(await file.read('a'), undefined);
  const mark = (seq: number) => ({ genesis: 'a', branch: 0, seq, hash: `${seq}`, atMs: seq });
  await Promise.all(Array.from({ length: 20 }, (_, seq) => file.write(mark(seq))));
  const read = await file.read('a');
  t.is(read?.hash, String(read?.seq));
  t.is(await file.read('b'), undefined);
  t.deepEqual(await readdir(join(path, 'deep')), ['history-a.json']);
});
