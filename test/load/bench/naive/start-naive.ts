import type { Sql } from '../../../../infra/ports/sql.ts';
import type { Lab } from '../lab.ts';
import { startPartner } from '../partner-process.ts';
import type { NaivePlan } from './naive-service.ts';

export interface Naive extends AsyncDisposable {
  readonly baseUrl: string;
  readonly pid: number;
  readonly sql: Sql;
  /** Makes so many more runs that can be claimed. */
  supply(runs: number): Promise<void>;
}

/** Beside the product, with a database of its own on the same server. */
export async function startNaive(lab: Lab, isSigned: boolean): Promise<Naive> {
  const { url, sql } = await lab.database(isSigned ? 'naive_signed' : 'naive');
  await makeTables(sql);
  const plan: NaivePlan = { databaseUrl: url, isSigned };
  const partner = await startPartner<never, never, string>('naive/naive-service.ts', plan);
  return {
    ...{ baseUrl: partner.ready, pid: partner.pid, sql },
    async supply(runs) {
      await sql`
        insert into run (run_id, version_id, status)
        select gen_random_uuid(), gen_random_uuid(), 'OPEN' from generate_series(1, ${runs})`;
      await sql`analyze run`;
    },
    [Symbol.asyncDispose]: () => partner[Symbol.asyncDispose](),
  };
}

async function makeTables(sql: Sql): Promise<void> {
  await sql`
    create table if not exists run
    (run_id uuid primary key, version_id uuid not null,
     position bigint generated always as identity, status text not null, validator text,
     claimed_at timestamptz, lease_until timestamptz, ended_at timestamptz, score double precision)`;
  await sql`create index if not exists run_open on run (position) where status = 'OPEN'`;
  await sql`
    create table if not exists nonce
    (hotkey text not null, nonce text not null, at timestamptz not null,
     primary key (hotkey, nonce))`;
  await sql`
    create table if not exists result
    (run_id uuid not null, task_id text not null, family text, outcome text, is_correct boolean,
     checks jsonb, rewards jsonb, reward numeric, seconds double precision, hash text, steps integer,
     at timestamptz not null default now(), primary key (run_id, task_id))`;
}
