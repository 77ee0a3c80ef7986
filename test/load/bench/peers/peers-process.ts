/** Queues that lease jobs and complete them in this very process: their best case. */
import { Logger, makeWorkerUtils, type RunnerOptions, run } from 'graphile-worker';
import { PgBoss } from 'pg-boss';
import postgres from 'postgres';
import { planOf, servePartner } from '../partner-process.ts';
import type { PeerAnswer, PeerOrder, PeersPlan } from './leasing.ts';

const { databaseUrl } = planOf<PeersPlan>();
const sql = postgres(databaseUrl, { max: 64, onnotice: () => undefined });
await sql`create schema if not exists hand`;
await sql`
  create table if not exists hand.job
  (id bigint generated always as identity primary key, status text not null, payload jsonb,
   lease_until timestamptz)`;
await sql`create index if not exists job_open on hand.job (id) where status = 'OPEN'`;
const boss = new PgBoss({ connectionString: databaseUrl, supervise: false, schedule: false });
boss.on('error', () => undefined);
await boss.start();
await boss.createQueue('bench');
const silent = new Logger(() => () => undefined);

servePartner(true, async ({ peer, jobs }: PeerOrder): Promise<PeerAnswer> => {
  const drain = {
    'skip locked': byHand,
    'graphile-worker': graphile,
    'graphile batched': (count: number) => graphile(count, batched),
    'pg-boss': viaBoss,
  }[peer];
  return await drain(jobs);
});

type WorkerPreset = NonNullable<RunnerOptions['preset']>;

/** By the clock and by this process's own processor time. */
async function timed(work: () => Promise<unknown>): Promise<PeerAnswer> {
  const before = process.cpuUsage();
  const startedMs = performance.now();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { seconds: (performance.now() - startedMs) / 1000, cpuUs: user + system };
}

/** One lease and one completion a job, on 64 connections. */
async function byHand(jobs: number): Promise<PeerAnswer> {
  await sql`
    insert into hand.job (status, payload) select 'OPEN', '{}' from generate_series(1, ${jobs})`;
  await sql`analyze hand.job`;
  const lane = async () => {
    for (;;) {
      const [job] = await sql`
        update hand.job set status = 'LEASED', lease_until = now() + interval '1 minute'
        where id = (
          select id from hand.job where status = 'OPEN' order by id for update skip locked limit 1)
        returning id, payload`;
      if (job === undefined) return;
      await sql`delete from hand.job where id = ${job['id']} and status = 'LEASED'`;
    }
  };
  return await timed(() => Promise.all(Array.from({ length: 64 }, lane)));
}

/** As its authors advise for the highest rate. */
const batched: WorkerPreset = {
  worker: { localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 },
};

async function graphile(jobs: number, preset: WorkerPreset = {}): Promise<PeerAnswer> {
  const options = { connectionString: databaseUrl, logger: silent };
  const utils = await makeWorkerUtils(options);
  await utils.migrate();
  await sql`
    select count(graphile_worker.add_job('bench', '{}'::json)) from generate_series(1, ${jobs})`;
  await utils.release();
  const done = Promise.withResolvers<void>();
  let left = jobs;
  const task = async () => {
    left -= 1;
    if (left === 0) done.resolve();
  };
  let stop: (() => Promise<void>) | undefined;
  const answer = await timed(async () => {
    const runner = await run({
      ...options,
      preset,
      ...{ concurrency: 24, maxPoolSize: 24, noHandleSignals: true, taskList: { bench: task } },
    });
    stop = () => runner.stop();
    await done.promise;
  });
  await stop?.();
  return answer;
}

/** One job a fetch, sixteen at a time. */
async function viaBoss(jobs: number): Promise<PeerAnswer> {
  await boss.insert(
    'bench',
    Array.from({ length: jobs }, () => ({ data: {} })),
  );
  const lane = async () => {
    for (;;) {
      const [job] = await boss.fetch('bench');
      if (job === undefined) return;
      await boss.complete('bench', job.id);
    }
  };
  return await timed(() => Promise.all(Array.from({ length: 16 }, lane)));
}
