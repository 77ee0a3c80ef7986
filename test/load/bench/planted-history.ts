import { createHash } from 'node:crypto';
import type { Fragment, Sql, Transaction } from '../../../infra/ports/sql.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { evalPartitionOf } from '../../../machines/partition-of.ts';
import { inParallel } from '../../support/in-parallel.ts';

/** What a version, its work and its runs leave behind for good, in the order in which rows refer to rows. */
const tables = [
  'agent_version',
  'work_item',
  'evaluation_run',
  'episode_result',
  'rt.event',
  'rt.snapshot',
  'public_event',
  'public_release',
] as const;

interface TemplateRow {
  readonly table: (typeof tables)[number];
  /** Of the row, for the database's `format`: a copy's number, its partition and its ids stand out. */
  readonly text: string;
}

/** A version whose runs were really claimed, evaluated and completed. */
export interface Template {
  readonly runs: number;
  /** Of the version, its work, runs, results and public events. */
  readonly ids: readonly string[];
  readonly rows: readonly TemplateRow[];
}

interface Copy {
  readonly number: number;
  readonly part: number;
  /** In the order of the template's. */
  readonly ids: readonly string[];
}

/** Copies of one transaction. */
const chunk = 500;

/** The first version that became eligible, with every row that speaks of it. */
export async function templateOf(sql: Sql): Promise<Template> {
  const [version] = await sql<{ id: string }[]>`
    select agent_version_id as id from agent_version
    where state = 'ELIGIBLE' order by eligible_at, agent_version_id limit 1`;
  if (version === undefined) throw new Error('there is no finished version to copy');
  const owned = await sql<{ id: string; isRun: boolean }[]>`
    select work_item_id as id, false as "isRun" from work_item where agent_version_id = ${version.id}
    union all
    select eval_run_id, true from evaluation_run where agent_version_id = ${version.id}
    union all
    select episode_result_id, false from episode_result join evaluation_run using (eval_run_id)
    where agent_version_id = ${version.id}`;
  const told = await sql<{ id: string }[]>`
    select msg_id as id from public_event
    where body ->> 'agent_version_id' = ${version.id} and msg_id ~ '^[0-9a-f-]{36}$'`;
  const ids = [version.id, ...[...owned, ...told].map(({ id }) => id)];
  const rows: TemplateRow[] = [];
  for (const table of tables) {
    const found = await sql<{ text: string }[]>`
      select to_jsonb(t)::text as text from ${sql(table)} t where ${ownRows(sql, table, ids)}`;
    rows.push(...found.map(({ text }) => ({ table, text: formatOf(text, ids) })));
  }
  return { runs: owned.filter(({ isRun }) => isRun).length, ids, rows };
}

function ownRows(sql: Sql, table: (typeof tables)[number], ids: readonly string[]): Fragment {
  switch (table) {
    case 'agent_version':
    case 'work_item':
    case 'evaluation_run':
      return sql`t.agent_version_id = ${ids[0] ?? ''}`;
    case 'episode_result':
      return sql`t.eval_run_id = any(${ids}::uuid[])`;
    case 'rt.event':
    case 'rt.snapshot':
      return sql`t.kind = 'eval' and t.key = any(${ids})`;
    case 'public_event':
      return sql`t.body ->> 'agent_version_id' = ${ids[0] ?? ''}`;
    case 'public_release':
      return sql`t.kind = 'CODE' and t.id = ${ids[0] ?? ''}`;
  }
}

/** 1 is the number of the copy, 2 its partition, then come the ids. */
function formatOf(text: string, ids: readonly string[]): string {
  const numbered = text
    .replaceAll('%', '%%')
    .replace(/"part": \d+/, '"part": %2$s')
    .replace(/"version_number": \d+/, '"version_number": %1$s');
  return ids.reduce((all, id, index) => all.replaceAll(id, `%${index + 3}$s`), numbered);
}

/**
 * Gives the tables the rows of so many versions more, each a copy of the template with ids and a partition
 * of its own, in the text of its events and snapshots too. No trigger runs. What the service throws away
 * after a day, such as first answers, is not among them.
 * @param from how many were planted before
 */
export async function plantHistory(
  sql: Sql,
  template: Template,
  { from, count }: { readonly from: number; readonly count: number },
): Promise<void> {
  const copies = Array.from({ length: count }, (_, index) => copyOf(from + index, template));
  // Neighbours in an index are planted together: page after page, and not a page for each row.
  copies.sort((a, b) => a.part - b.part || ((a.ids[0] ?? '') < (b.ids[0] ?? '') ? -1 : 1));
  const chunks = Array.from({ length: Math.ceil(count / chunk) }, (_, index) =>
    copies.slice(index * chunk, (index + 1) * chunk),
  );
  await inParallel(2, chunks, (each) => plant(sql, template, each));
  await settle(sql);
}

/** What is measured next must pay neither for the planner's ignorance nor for what is still to be written. */
async function settle(sql: Sql): Promise<void> {
  const session = await sql.reserve();
  try {
    // The clean-up that runs by itself gives its lock up only to who waits a second for it.
    await session`
      select set_config('lock_timeout', '0', false), set_config('statement_timeout', '0', false)`;
    for (const table of tables) await session`vacuum (analyze) ${session(table)}`;
    await session`checkpoint`;
  } finally {
    await session`reset all`;
    session.release();
  }
}

function copyOf(number: number, { ids }: Template): Copy {
  const own = ids.map((_, index) => idOf(number, index));
  // The template is the first version of its agent.
  return { number: number + 2, part: evalPartitionOf(own[0] ?? ''), ids: own };
}

function idOf(number: number, index: number): string {
  const hex = createHash('md5').update(`planted ${number} ${index}`).digest('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

async function plant(sql: Sql, { rows }: Template, copies: readonly Copy[]): Promise<void> {
  const given = JSON.stringify(copies.map(({ number, part, ids }) => [number, part, ...ids]));
  await transaction(sql, { statementTimeoutMs: 600_000 }, async (tx) => {
    await tx`set local session_replication_role = replica`;
    // The clean-up of tables waits for it, and it for the clean-up.
    await tx`set local lock_timeout = 0`;
    await tx`set local synchronous_commit = off`;
    await tx`
      create temporary table copied on commit drop as
      select array(select jsonb_array_elements_text(c)) as given
      from jsonb_array_elements(${given}::text::jsonb) c`;
    for (const table of tables) {
      const texts = rows.flatMap((row) => (row.table === table ? [row.text] : []));
      const copied = tx`
        copied, unnest(${texts}::text[]) text,
        lateral jsonb_populate_record(null::${tx(table)}, format(text, variadic given)::jsonb) r`;
      if (table === 'public_event') await tellCopies(tx, copied);
      else await tx`insert into ${tx(table)} select r.* from ${copied}`;
    }
  });
}

/** At the end of the feed, which has no gaps. */
async function tellCopies(tx: Transaction, copied: Fragment): Promise<void> {
  // The lock of whoever writes to the feed.
  await tx`select pg_advisory_xact_lock(7246001)`;
  await tx`
    insert into public_event (cursor, msg_id, type, body, at)
    select (select max(cursor) from public_event) + row_number() over (), r.msg_id, r.type, r.body, r.at
    from ${copied}`;
}
