import test from 'ava';
import { createEvalKind } from '../../../actors/lease-manager/lease-manager.actor.ts';
import { readSnapshots, snapshotPageRows } from '../../../actors/lease-manager/stored-snapshots.ts';
import { idsWithin, uuidV5 } from '../../../infra/ids/ids.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { closeSql, createSql } from '../../../infra/postgres/client.ts';
import { testDatabase } from '../../support/cluster.ts';
import { addSuite, claimRun, openDesk } from '../../support/eval-desk.ts';
import { completion, evalPart, evalPolicy, submission } from '../../support/eval-world.ts';
import { silentTelemetry } from '../../support/silent-telemetry.ts';

/** So many more runs of a version that ended as its first one did. */
async function plantEnded(sql: Sql, evalRunId: string, count: number): Promise<void> {
  await sql`
    insert into rt.snapshot (kind, part, machine, key, seq, actor_key, machine_version, value,
      context, closed, at)
    select s.kind, s.part, s.machine, ids.id::text, s.seq, s.actor_key, s.machine_version, s.value,
      s.context || jsonb_build_object('evalRunId', ids.id), s.closed, s.at
    from rt.snapshot s
    cross join (select gen_random_uuid() as id from generate_series(1, ${count})) ids
    where s.machine = 'evaluation-run' and s.key = ${evalRunId}`;
}

/** Tells how many rows each statement gave. */
function measured(sql: Sql): { readonly sql: Sql; readonly given: number[] } {
  const given: number[] = [];
  const proxy = new Proxy(sql, {
    apply(target, self, args) {
      const query = Reflect.apply(target, self, args);
      // Pieces of a statement are never asked for their answer, which would send them.
      const then = query.then?.bind(query);
      const measure = (rows: readonly unknown[]) => {
        given.push(rows.length);
        return rows;
      };
      Reflect.set(query, 'then', (...next: never[]) => then(measure).then(...next));
      return query;
    },
  });
  return { sql: proxy, given };
}

async function snapshotsRead(sql: Sql): Promise<number> {
  await sql`select pg_stat_force_next_flush()`;
  await sql`select 1`;
  const [row] = await sql<{ rows: number }[]>`
    select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as rows
    from pg_stat_user_tables where schemaname = 'rt' and relname = 'snapshot'`;
  return row?.rows ?? 0;
}

// rules.md, section 5: offered again "even if every process restarted meanwhile".
test('a version is taken over page by page, however many runs it has behind it', async (t) => {
  const { sql: admin, url } = await testDatabase(t);
  const desk = await openDesk(admin);
  const suiteId = await addSuite(admin);
  for (const index of [1, 2, 3]) await desk.ok('submit-version', submission(index, { suiteId }));
  const run = await claimRun(desk, 'val-a');
  const failed = { terminalStatus: 'FAILED', failureClass: 'PROVIDER' };
  await desk.ok('complete-run', { ...run, ...completion(failed) });
  const count = 3 * snapshotPageRows;
  await plantEnded(admin, run.evalRunId, count);
  const sql = createSql({ url, max: 1, applicationName: 'heir', role: 'paddock_actor' });
  t.teardown(() => closeSql(sql));
  const heir = measured(sql);
  const kind = createEvalKind({
    ...{ sql: heir.sql, policy: evalPolicy },
    ...{ ids: { uuidV5, idsWithin }, telemetry: silentTelemetry },
  });
  const before = await snapshotsRead(sql);

  const nowMs = Date.now();
  const actor = await kind.activate(evalPart, {
    ...{ nowMs, takeover: { parts: [evalPart] } },
    amnestyUntilMs: (leaseMs) => nowMs + leaseMs,
  });

  t.is(actor.stats()['loadedVersions'], 3);
  const most = Math.max(...heir.given);
  t.true(most <= snapshotPageRows, `${most} rows in one statement`);
  const read = (await snapshotsRead(sql)) - before;
  t.true(read < 1.5 * count, `${read} rows for ${count}`);
});

for (const pageRows of [1, 2, 3, 4, 5, 11, 12, 13]) {
  test(`nothing is missed and nothing comes twice in pages of ${pageRows}`, async (t) => {
    const { sql } = await testDatabase(t);
    await sql`
      insert into rt.snapshot (kind, part, machine, key, seq, actor_key, machine_version, value,
        context, closed, at)
      select 'eval', part, machine, actor_key || n, n, actor_key, 1, '"open"', '{}', false, rt.clock()
      from generate_series(1, 2) n, unnest('{1,2}'::int[]) part,
        unnest(array[part || 'a', part || 'b']) actor_key,
        unnest('{agent-version,evaluation-run,work-item}'::text[]) machine
      where part = 2 or actor_key <> '1a'`;
    const versions = () => sql`select distinct part, actor_key from rt.snapshot where part < 9`;

    const rows = await readSnapshots(sql, versions, pageRows);

    const places = rows.map(({ part, actorKey, machine, key }) =>
      [part, actorKey, machine, key].join(),
    );
    t.is(places.length, 18);
    t.deepEqual(places, [...new Set(places)].sort());
  });
}
