import { randomUUID } from 'node:crypto';
import test from 'ava';
import { z } from 'zod';
import { submitAgent } from '../../apps/world/participants/simulated-miner.ts';
import type { KeptProcess } from '../../apps/world/process-group.ts';
import { signalProcess } from '../support/coordinator-faults.ts';
import { agentCode } from '../support/evaluation-client.ts';
import {
  clientOf,
  openSuite,
  registerKeys,
  type ServiceWorld,
  startServiceWorld,
} from '../support/service-world.ts';
import { until } from '../support/until.ts';

// The service in processes of its own, as `CLOCK=simulated npm start -- --serve` has it.

const versions = 6;
const validatorsEach = 6;
const claimLeaseSeconds = 300;
const spacingSeconds = 7;

let world: ServiceWorld;
test.before(async () => {
  world = await startServiceWorld({
    edges: 2,
    coordinators: 2,
    env: { CLOCK: 'simulated', MEMBER_LEASE_SECONDS: '3' },
  });
  await openSuite(world, { taskCount: 3, requiredSuccesses: validatorsEach });
});
test.after.always(() => world?.[Symbol.asyncDispose]());

const path = '/v1/admin/clock/advance';
const advanced = z.object({ now: z.string(), advanced_seconds: z.number() });
const claimed = z.object({ eval_run_id: z.string(), lease_expires_at: z.string() });

interface Lease {
  readonly id: string;
  readonly untilMs: number;
}

/** Several versions, each of several validators at work, whose leases end one after the other. */
async function manyLeases(seed: number): Promise<readonly Lease[]> {
  const miners = await registerKeys(world, 'miner', { count: versions, seed });
  for (const [index, keypair] of miners.entries()) {
    const miner = { who: `${index}`, client: clientOf(world, keypair), onEvent: () => undefined };
    const accepted = await submitAgent(miner, { agentName: 'shopper', code: agentCode });
    if (accepted === undefined) throw new Error('an agent was refused');
  }
  const count = versions * validatorsEach;
  const leases: Lease[] = [];
  for (const keypair of await registerKeys(world, 'validator', { count, seed })) {
    const reply = await clientOf(world, keypair).request('POST', '/v1/validator/work/claim', {
      json: {},
    });
    const run = claimed.parse(reply.body);
    leases.push({ id: run.eval_run_id, untilMs: Date.parse(run.lease_expires_at) });
    await world.operator.send('POST', path, { seconds: spacingSeconds });
  }
  return leases;
}

/**
 * Carries `deed` out in the middle of a drive: somebody has come to end `lease` and cannot, for its
 * row is held, so that nothing that is due later can be done before.
 */
async function beforeTheEndOf({ id }: Lease, meanwhile: Work) {
  return await world.sql.begin(async (sql) => {
    await sql`select from evaluation_run where eval_run_id = ${id} for no key update`;
    const first = meanwhile.start();
    await until(async () => {
      const [row] = await sql<{ isAwaited: boolean }[]>`
        select exists (
          select from pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid))
        ) as "isAwaited"`;
      return row?.isAwaited === true;
    });
    meanwhile.deed();
    return { first };
  });
}

interface Work {
  readonly start: () => Promise<Response | undefined>;
  readonly deed: () => void;
}

/** Kills a process in the middle of what `seconds` have in store. */
async function killedOnTheWay(
  seconds: number,
  {
    leases,
    victim,
  }: { readonly leases: readonly Lease[]; readonly victim: KeptProcess | undefined },
) {
  const [baseUrl] = world.service.baseUrls;
  const headers = {
    authorization: `Bearer ${world.service.operatorToken}`,
    'content-type': 'application/json',
    'idempotency-key': randomUUID(),
  };
  const body = JSON.stringify({ seconds });
  const ask = () => fetch(`${baseUrl}${path}`, { method: 'POST', headers, body });
  const middle = leases[Math.floor(leases.length / 2)];
  if (middle === undefined) throw new Error('nothing is leased');
  const { first } = await beforeTheEndOf(middle, {
    start: () => ask().catch(() => undefined),
    deed: () => {
      if (victim === undefined || !signalProcess(victim, 'SIGKILL'))
        throw new Error('there is nobody to kill');
    },
  });
  return { first: await first, ask };
}

async function endsOf(leases: readonly Lease[]): Promise<ReadonlyMap<string, number>> {
  const rows = await world.sql<{ id: string; endedMs: number }[]>`
    select eval_run_id as id, extract(epoch from completed_at)::float8 * 1000 as "endedMs"
    from evaluation_run
    where status = 'STALE' and eval_run_id = any(${leases.map(({ id }) => id)}::uuid[])`;
  return new Map(rows.map(({ id, endedMs }) => [id, endedMs]));
}

test.serial('a coordinator that is killed on the way loses nothing of what was due', async (t) => {
  const leases = await manyLeases(1);

  const { first } = await killedOnTheWay(3600, {
    leases,
    victim: world.service.coordinators[0],
  });

  t.is(first?.status, 200);
  const ends = await endsOf(leases);
  t.is(ends.size, leases.length);
  for (const { id, untilMs } of leases) {
    // Who takes over gives every lease a fresh window, for it cannot know the last promise.
    const lateMs = (ends.get(id) ?? 0) - untilMs;
    t.true(lateMs >= 0 && lateMs < 2 * claimLeaseSeconds * 1000, `${lateMs} ms late`);
  }
});

test.serial('an edge that is killed on the way lets a repeat go on', async (t) => {
  const leases = await manyLeases(2);

  const { first, ask } = await killedOnTheWay(3600, {
    leases,
    victim: world.service.edges[0],
  });
  t.is(first, undefined);
  let answer: Response | undefined;
  await until(async () => {
    answer = await ask().catch(() => undefined);
    return answer !== undefined;
  });

  t.is(answer?.status, 200);
  const { now, advanced_seconds: seconds } = advanced.parse(await answer?.json());
  t.is(seconds, 3600);
  t.is((await endsOf(leases)).size, leases.length);
  const [told] = await world.sql<{ aheadMs: number; orders: number }[]>`
    select extract(epoch from rt.clock())::float8 * 1000 - ${Date.parse(now)} as "aheadMs",
      (select count(*)::int from audit_log
       where action = 'clock.advance' and detail ->> 'seconds' = '3600') as orders`;
  // Moved once: the clock is where the answer says, and has flown a little since.
  t.true((told?.aheadMs ?? -1) >= 0 && (told?.aheadMs ?? 0) < 60_000);
  t.is(told?.orders, 2);
});
