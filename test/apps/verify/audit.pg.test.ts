import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { auditHash, genesisHash } from '../../../actors/services/operator/audit-entry.ts';
import type { AuditHead, AuditRow } from '../../../apps/verify/audit/chain.ts';
import { auditRowsOf } from '../../../apps/verify/audit/read-database.ts';
import { outcomeOf } from '../../../apps/verify/audit/verify-audit.ts';
import { readOptions, UsageError } from '../../../apps/verify/options.ts';
import { loginUrl } from '../../../infra/postgres/logins.ts';
import { testDatabase } from '../../support/cluster.ts';

type Mutable = { -readonly [K in keyof AuditRow]: AuditRow[K] };

function entry(seq: number, prevHash: string, reason = `because ${seq}`): Mutable {
  const said = {
    ...{ seq, prevHash, committedAtMs: 1_800_000_000_000 + seq, actor: 'alice', action: 'ban' },
    ...{ object: `hotkey ${seq}`, reason, detail: { z: seq, a: { list: [1, 0.5] } } },
  };
  return { ...said, hash: auditHash(said) };
}

function log(length: number): Mutable[] {
  const rows: Mutable[] = [];
  for (let seq = 1; seq <= length; seq++) rows.push(entry(seq, rows.at(-1)?.hash ?? genesisHash));
  return rows;
}

function renumbered(rows: readonly Mutable[]): Mutable[] {
  return rows.map((row, at) => ({ ...row, seq: at + 1 }));
}

/** Whoever changes an entry and has read how the chain is made. */
function rechained(rows: readonly Mutable[], from: number): Mutable[] {
  const kept = rows.slice(0, from);
  for (const { reason } of rows.slice(from)) {
    kept.push(entry(kept.length + 1, kept.at(-1)?.hash ?? genesisHash, reason ?? ''));
  }
  return kept;
}

const honest = log(9);
const head: AuditHead = { seq: 9, hash: honest.at(-1)?.hash ?? '' };
const at = (index: number) => honest[index] ?? entry(0, '');

const tamperings: readonly {
  readonly title: string;
  readonly rows: readonly Mutable[];
  readonly found: { readonly seq: number; readonly kind: string };
  /** Only who kept the head finds it. */
  readonly isSilent?: boolean;
}[] = [
  {
    title: 'an actor that was changed',
    rows: honest.with(4, { ...at(4), actor: 'bob' }),
    found: { seq: 5, kind: 'changed' },
  },
  {
    title: 'a detail that was changed',
    rows: honest.with(4, { ...at(4), detail: {} }),
    found: { seq: 5, kind: 'changed' },
  },
  {
    title: 'a time that was changed',
    rows: honest.with(4, { ...at(4), committedAtMs: 0 }),
    found: { seq: 5, kind: 'changed' },
  },
  {
    title: 'a hash that was changed',
    rows: honest.with(4, { ...at(4), hash: genesisHash }),
    found: { seq: 5, kind: 'changed' },
  },
  {
    title: 'an entry that was changed and hashed anew',
    rows: honest.with(4, entry(5, at(3).hash, 'other')),
    found: { seq: 5, kind: 'replaced' },
  },
  {
    title: 'an entry that was removed',
    rows: honest.filter(({ seq }) => seq !== 5),
    found: { seq: 5, kind: 'missing' },
  },
  {
    title: 'the first entry that was removed',
    rows: honest.slice(1),
    found: { seq: 1, kind: 'missing' },
  },
  {
    title: 'a removal that was hidden by new numbers',
    rows: renumbered(honest.filter(({ seq }) => seq !== 5)),
    found: { seq: 5, kind: 'moved' },
  },
  {
    title: 'an entry that was put in between',
    rows: renumbered([...honest.slice(0, 4), entry(5, at(3).hash, 'forged'), ...honest.slice(4)]),
    found: { seq: 6, kind: 'moved' },
  },
  {
    title: 'two entries that were exchanged',
    rows: renumbered([...honest.slice(0, 4), at(5), at(4), ...honest.slice(6)]),
    found: { seq: 5, kind: 'moved' },
  },
  {
    title: 'an entry before the first',
    rows: [entry(0, genesisHash), ...honest],
    found: { seq: 0, kind: 'moved' },
  },
  {
    title: 'an end that was cut off',
    rows: honest.slice(0, 6),
    found: { seq: 7, kind: 'cut' },
    isSilent: true,
  },
  {
    title: 'a log that is empty now',
    rows: [],
    found: { seq: 1, kind: 'cut' },
    isSilent: true,
  },
  {
    title: 'a log that was written anew from an entry on',
    rows: rechained(honest.with(4, { ...at(4), reason: 'other' }), 4),
    found: { seq: 9, kind: 'rewritten' },
    isSilent: true,
  },
];

test('an honest log holds, from nothing to its head, and may have grown since', async (t) => {
  t.deepEqual(await outcomeOf([]), { head: { seq: 0, hash: genesisHash }, flaw: undefined });
  t.deepEqual(await outcomeOf(honest), { head, flaw: undefined });
  t.is((await outcomeOf(log(12), head)).flaw, undefined);
});

for (const { title, rows, found, isSilent } of tamperings) {
  test(`${title}: found, and named`, async (t) => {
    t.like((await outcomeOf(rows, head)).flaw, found);
    const { flaw } = await outcomeOf(rows);
    if (isSilent === true) t.is(flaw, undefined);
    else t.like(flaw, found);
  });
}

test('a log of several pages is read to its last entry', async (t) => {
  const { url, sql } = await testDatabase(t);
  const rows = log(2_001);
  await sql`
    insert into audit_log
      (seq, actor, action, object, reason, detail, prev_hash, hash, committed_at)
    select seq, actor, action, object, reason, detail, "prevHash", hash,
      timestamptz 'epoch' + "committedAtMs" * interval '1 millisecond'
    from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb)
      as (seq bigint, actor text, action text, object text, reason text, detail jsonb,
          "prevHash" text, hash text, "committedAtMs" double precision)
    order by seq`;
  for (const count of [2_001, 2_000]) {
    const { flaw, head: end } = await outcomeOf(auditRowsOf(url));
    t.is(flaw, undefined);
    t.deepEqual(end, { seq: count, hash: rows[count - 1]?.hash });
    await sql`alter table audit_log disable trigger audit_log_only_grows`;
    await sql`delete from audit_log where seq = ${count}`;
  }
});

test('a wrong command line says how to do it right', (t) => {
  for (const args of [
    ['--audit', '--race', 'x'],
    ['--audit', '--expect', '9'],
    ['--audit', '--expect', `9:${'g'.repeat(64)}`],
    ['--audit', '--url', 'a.example'],
    ['--expect', `9:${head.hash}`, '--bundle', 'x'],
  ]) {
    t.throws(() => readOptions(args), { instanceOf: UsageError }, args.join(' '));
  }
  t.deepEqual(readOptions(['--audit', '--expect', `9:${head.hash.toUpperCase()}`]), {
    audit: { url: undefined, expected: head },
  });
});

const main = fileURLToPath(new URL('../../../apps/verify/main.ts', import.meta.url));

async function command(env: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const child = spawn(process.execPath, [main, '--audit', ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [out, error, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, out, error };
}

test('the command follows the chain in the database and through the API', async (t) => {
  const { url, sql } = await testDatabase(t);
  for (const row of honest) {
    await sql`
      insert into audit_log
        (seq, actor, action, object, reason, detail, prev_hash, hash, committed_at)
      values (${row.seq}, ${row.actor}, ${row.action}, ${row.object}, ${row.reason},
        ${JSON.stringify(row.detail)}::text::jsonb, ${row.prevHash}, ${row.hash},
        timestamptz 'epoch' + ${row.committedAtMs} * interval '1 millisecond')`;
  }
  let shown = honest;
  const api = createServer((request, response) => {
    const query = new URL(request.url ?? '', 'http://x').searchParams;
    const isKnown = request.headers.authorization === 'Bearer t';
    const highest = (shown.at(-1)?.seq ?? 0) - Number(query.get('offset'));
    const entries = shown
      .filter(({ seq }) => seq <= highest)
      .toReversed()
      // Smaller pages than asked for, as if there were thousands.
      .slice(0, 4)
      .map(({ prevHash, committedAtMs, ...row }) => ({
        ...row,
        prev_hash: prevHash,
        committed_at: new Date(committedAtMs).toISOString(),
      }));
    response.statusCode = isKnown ? 200 : 401;
    response.end(JSON.stringify({ total: shown.at(-1)?.seq ?? 0, entries }));
  }).listen(0, '127.0.0.1');
  await once(api, 'listening');
  t.teardown(() => api.close());
  const base = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
  const edge = { DATABASE_URL: loginUrl(url, 'edge') };
  const kept = ['--expect', `9:${head.hash}`];

  const [both, stranger, blind, usage] = await Promise.all([
    command({ ...edge, OPERATOR_TOKEN: 't' }, '--url', base, ...kept),
    command({ OPERATOR_TOKEN: 'x' }, '--url', base),
    command({ DATABASE_URL: 'postgres://127.0.0.1:1/x' }),
    command({}),
  ]);
  t.is(both.code, 0, both.out + both.error);
  t.regex(both.out, new RegExp(`^entries +9\nhead +9:${head.hash}\nThe chain holds`));
  t.like(stranger, {
    code: 2,
    error: `paddock: ${base}/v1/admin/audit-log?limit=500&offset=0 answers 401\n`,
  });
  t.like(blind, { code: 2, error: 'paddock: the database cannot be read\n' });
  t.is(usage.code, 2);

  shown = honest.slice(0, 8);
  const hushed = await command({ ...edge, OPERATOR_TOKEN: 't' }, '--url', base);
  t.like(hushed, {
    code: 1,
    out: 'API: the log ends with entry 8, and had 9: its end was cut off\n',
  });

  // Only who may take the trigger away gets this far.
  await sql`alter table audit_log disable trigger audit_log_only_grows`;
  await sql`update audit_log set reason = 'other' where seq = 3`;
  await sql`delete from audit_log where seq = 9`;
  shown = honest.slice(0, 8);
  const [changed, cut] = await Promise.all([
    command({ DATABASE_URL: url }, ...kept),
    command({ OPERATOR_TOKEN: 't' }, '--url', base, ...kept),
  ]);
  t.like(changed, {
    code: 1,
    out: 'database: entry 3 was changed: its words do not give its hash\n',
  });
  t.like(cut, { code: 1, out: 'API: the log ends with entry 8, and had 9: its end was cut off\n' });
});
