/**
 * `npm run bench:similarity`: what it costs to compare one file with thousands of earlier ones. The
 * earlier ones are planted as rows: each hotkey submits again and again, changing a tenth of its
 * file, and a fifth of every file is common to all.
 */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { readVersion, reportNext } from '../../actors/services/similarity/similarity.actor.ts';
import {
  beginning,
  leaseUnread,
  registerVersions,
} from '../../actors/services/similarity/store.ts';
import { systemClock } from '../../infra/clock/system-clock.ts';
import { sha256Hex } from '../../infra/ids/ids.ts';
import type { Sql, Transaction } from '../../infra/ports/sql.ts';
import { closeSql, createSql } from '../../infra/postgres/client.ts';
import { migrate } from '../../infra/postgres/migrate.ts';
import { transaction } from '../../infra/postgres/transaction.ts';
import { createCodeFingerprinter } from '../../infra/python/code-fingerprinter.ts';
import { benchSimilarityCommand } from '../commands/bench-commands.ts';
import { lineOf } from '../commands/command-line.ts';
import { plantSuite } from '../support/planted-races.ts';
import { program, textOf } from '../support/python-programs.ts';
import { silentLogger } from '../support/silent-telemetry.ts';
import { temporaryPostgres } from '../support/temporary-servers.ts';
import { percentile } from './percentile.ts';
import { ownCpuUs, treeCpuUs } from './process-cpu.ts';

const values = lineOf(benchSimilarityCommand);
const { hotkeys, versions, rounds } = values;
const [made = ''] = fc.sample(program(64), { numRuns: 1, seed: 1 }).map((one) => textOf(one));
const text = made.slice(0, made.lastIndexOf('\ndef ', values.kilobytes * 1000));

const say = (line: string) => console.log(line);

await using stack = new AsyncDisposableStack();
const server = stack.adopt(await temporaryPostgres(), (one) => one.stop());
await migrate(server.url);
const open = (options: object) =>
  stack.adopt(createSql({ url: server.url, applicationName: 'bench', ...options }), closeSql);
const admin = open({ statementTimeoutMs: 0 });
const sql = open({ role: 'paddock_service' });
const fingerprinter = createCodeFingerprinter(systemClock);
stack.defer(() => fingerprinter.rest());
const deps = {
  ...{ sql, fingerprinter, log: silentLogger },
  transact: <T>(body: (tx: Transaction) => Promise<T>) => transaction(sql, {}, body),
  readCode: async () => Buffer.from(text),
};

const suiteId = await plantSuite(admin);
const victim = await submitted('victim', 0);
await read();
await plantOthers(admin);
const thief = await submitted('thief', 1);
await read();

const [planted] = await admin<{ rows: number; bytes: string; each: number }[]>`
  select (select count(*)::int from similarity_fingerprint) as rows,
    pg_size_pretty(pg_total_relation_size('similarity_fingerprint')
      + pg_total_relation_size('similarity_code')) as bytes,
    (select array_length(hashes, 1) from similarity_code where code_sha256 = ${sha256Hex(text)}) as each`;
say(
  `${text.length} bytes of Python, ${planted?.each} fingerprints, beside ${hotkeys * versions} versions ` +
    `of ${hotkeys} hotkeys: ${planted?.rows} rows, ${planted?.bytes}`,
);

const walls: number[] = [];
const [ownBefore, databaseBefore] = [ownCpuUs(), treeCpuUs(server.pid) ?? Number.NaN];
for (let round = 0; round < rounds; round += 1) {
  await admin`
    update similarity_version set reported_at = null where agent_version_id = ${thief}`;
  const startMs = systemClock.monotonicMs();
  if (!(await reportNext(deps))) throw new Error('there was nothing to report on');
  walls.push(systemClock.monotonicMs() - startMs);
}
const ownMs = (ownCpuUs() - ownBefore) / 1000 / rounds;
const databaseMs = ((treeCpuUs(server.pid) ?? Number.NaN) - databaseBefore) / 1000 / rounds;
const ascending = walls.toSorted((left, right) => left - right);
const [row] = await admin<{ verdict: string; id: string }[]>`
  select verdict, report #>> '{matches,0,id}' as id from similarity_version
  where agent_version_id = ${thief}`;
if (row?.verdict !== 'copy' || row.id !== victim) throw new Error('the copy was not found');
say(
  `a report: p50 ${percentile(ascending, 0.5).toFixed(0)} ms, longest ${ascending.at(-1)?.toFixed(0)} ms; ` +
    `processor time ${ownMs.toFixed(0)} ms here and ${databaseMs.toFixed(0)} ms in the database`,
);

/** The file, by somebody, on a day of November. */
async function submitted(hotkey: string, day: number): Promise<string> {
  const id = randomUUID();
  await admin`insert into miner (hotkey) values (${hotkey})`;
  await admin`
    insert into agent (agent_id, miner_hotkey, agent_name, created_at)
    values (${id}, ${hotkey}, ${hotkey}, now())`;
  await admin`
    insert into agent_version (agent_version_id, part, agent_id, agent_name, miner_hotkey,
      version_number, suite_id, state, submitted_at, code_sha256, code_size_bytes,
      required_successes)
    values (${id}, 0, ${id}, ${hotkey}, ${hotkey}, 1, ${suiteId}, 'QUEUED',
      '2026-11-01'::timestamptz + ${day} * interval '1 day', ${sha256Hex(text)}, 1, 2)`;
  return id;
}

async function read(): Promise<void> {
  await fingerprinter.read(Buffer.from('warm = 1\n'));
  await deps.transact((tx) => registerVersions(tx, { limit: 10, after: beginning }));
  const startMs = systemClock.monotonicMs();
  const held = await leaseUnread(sql, 60_000);
  if (held === undefined) throw new Error('there was nothing to read');
  await readVersion(deps, held);
  say(`read in ${(systemClock.monotonicMs() - startMs).toFixed(0)} ms`);
}

/** All between the two days, fingerprinted and reported on. */
async function plantOthers(on: Sql): Promise<void> {
  await on`
    update similarity_version set reported_at = now(), verdict = 'clean', report = '{}'`;
  await on`insert into miner (hotkey) select 'hk' || h from generate_series(1, ${hotkeys}) h`;
  await on`
    insert into agent (agent_id, miner_hotkey, agent_name, created_at)
    select md5('hk' || h)::uuid, 'hk' || h, 'agent', now() from generate_series(1, ${hotkeys}) h`;
  await on`
    insert into agent_version (agent_version_id, part, agent_id, agent_name, miner_hotkey,
      version_number, suite_id, state, submitted_at, code_sha256, code_size_bytes,
      required_successes)
    select md5(h || ':' || v)::uuid, 0, md5('hk' || h)::uuid, 'agent', 'hk' || h, v, ${suiteId},
      'ELIGIBLE', '2026-11-01'::timestamptz + (v * 1000 + h) * interval '1 second',
      md5(h || ':' || v), 1, 2
    from generate_series(1, ${hotkeys}) h, generate_series(1, ${versions}) v`;
  await on`
    insert into similarity_version (agent_version_id, miner_hotkey, author, submitted_at,
      code_sha256, fingerprinted_at, reported_at, verdict)
    select agent_version_id, miner_hotkey, miner_hotkey, submitted_at, code_sha256, now(), now(),
      'clean'
    from agent_version
    where agent_version_id not in (select agent_version_id from similarity_version)
    order by submitted_at`;
  // Version v has changed every part of the file whose number, modulo the versions, is up to v.
  await on`
    insert into similarity_code (code_sha256, format, token_count, modulus, hashes, first_lines,
                                 last_lines)
    select md5(h || ':' || v), c.format, 1, 1, f.hashes, c.first_lines, c.last_lines
    from similarity_code c
    cross join generate_series(1, ${hotkeys}) h
    cross join generate_series(1, ${versions}) v
    cross join lateral (
      select array_agg(case when o.i % 5 = 0 then o.hash else ('x' || left(md5(
          h || ':' || o.i || ':' || case when o.i % ${versions}::int < v then o.i % ${versions}::int
            else 0 end), 13))::bit(52)::bigint end order by o.i) as hashes
      from unnest(c.hashes) with ordinality as o (hash, i)) f
    where c.code_sha256 = ${sha256Hex(text)}`;
  await on`
    insert into similarity_fingerprint (hash, version_no)
    select distinct on (f.hash, s.miner_hotkey) f.hash, s.version_no
    from similarity_version s
    join similarity_code c using (code_sha256)
    cross join lateral unnest(c.hashes) as f (hash)
    order by f.hash, s.miner_hotkey, s.submitted_at
    on conflict do nothing`;
  await on`analyze`;
}
