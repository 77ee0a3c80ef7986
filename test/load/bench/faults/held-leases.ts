import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { submitAgent } from '../../../../apps/world/participants/simulated-miner.ts';
import { evalPartitionOf } from '../../../../machines/partition-of.ts';
import { inParallel } from '../../../support/in-parallel.ts';
import { agentCode } from '../../../support/lifecycle-load.ts';
import { clientOf, registerKeys } from '../../../support/service-world.ts';
import { HttpConnection } from '../../http-connection.ts';
import { type CrowdMember, credentials, gatherCrowd } from '../../validator-crowd.ts';
import type { FaultWorld } from './fault-world.ts';
import type { WireRequest } from './streams.ts';

/** A run that somebody of the crowd holds. */
export interface HeldLease {
  readonly evalRunId: string;
  readonly agentVersionId: string;
  /** The partition of evaluations that owns it. */
  readonly part: number;
  /** By its place in the crowd. */
  readonly validator: number;
  readonly leaseUntilMs: number;
}

const miners = 50;
const atOnce = 16;
const triesMax = 50;
const retryMs = 50;
const claimAnswer = z.object({
  eval_run_id: z.string(),
  agent_version_id: z.string(),
  lease_expires_at: z.string(),
});
const beatAnswer = z.object({ lease_expires_at: z.string() });

/** Through the API, as miners do. A world's miners are registered by the first call. */
export async function submitVersions(
  world: FaultWorld,
  {
    from,
    count,
    seed = 1,
  }: { readonly from: number; readonly count: number; readonly seed?: number },
): Promise<void> {
  const keys = await registerKeys(world, 'miner', { count: Math.min(miners, from + count), seed });
  const clients = keys.map((keypair) => clientOf(world, keypair));
  await inParallel(8, Array.from({ length: count }), async (_, index) => {
    const number = from + index;
    const client = clients[number % clients.length];
    if (client === undefined) throw new Error('there are no miners');
    const miner = { who: client.hotkey, client, onEvent: () => undefined };
    const file = { agentName: `agent-${number}`, code: agentCode(number) };
    if ((await submitAgent(miner, file)) === undefined) throw new Error('a submission was refused');
  });
}

/** Registered validators, each with a session. */
export async function gatherValidators(
  world: Pick<FaultWorld, 'operator' | 'service'>,
  { count, seed }: { readonly count: number; readonly seed: number },
): Promise<readonly CrowdMember[]> {
  await registerKeys(world, 'validator', { count, seed });
  return await gatherCrowd({ baseUrls: world.service.baseUrls, validators: count, seed });
}

/** As many as are asked for, by validators in turn. There must be as much work. */
export async function holdLeases(
  { service: { baseUrls } }: Pick<FaultWorld, 'service'>,
  members: readonly CrowdMember[],
  count: number,
): Promise<readonly HeldLease[]> {
  const leases: HeldLease[] = [];
  const free = Array.from(
    { length: atOnce },
    (_, index) => new HttpConnection(baseUrls[index % baseUrls.length] ?? ''),
  );
  await inParallel(atOnce, Array.from({ length: count }), async (_, index) => {
    const connection = free.pop();
    const validator = index % members.length;
    const member = members[validator];
    if (connection === undefined || member === undefined) throw new Error('nobody is there');
    const claim = claimAnswer.parse(await claimed(connection, credentials(member, 'session')));
    leases.push({
      ...{ evalRunId: claim.eval_run_id, agentVersionId: claim.agent_version_id, validator },
      part: evalPartitionOf(claim.agent_version_id),
      leaseUntilMs: Date.parse(claim.lease_expires_at),
    });
    free.push(connection);
  });
  for (const connection of free) connection.close();
  return leases;
}

/** Their first heartbeats, which alone are stored: whoever holds a run for long has sent one. */
export async function beginRuns(
  { service: { baseUrls } }: Pick<FaultWorld, 'service'>,
  leases: readonly HeldLease[],
  members: readonly CrowdMember[],
): Promise<void> {
  const free = Array.from(
    { length: atOnce },
    (_, index) => new HttpConnection(baseUrls[index % baseUrls.length] ?? ''),
  );
  await inParallel(atOnce, leases, async (lease) => {
    const connection = free.pop();
    if (connection === undefined) throw new Error('no connection is free');
    const { method, path, head, body } = heartbeatOf(lease, members);
    const { status } = await connection.send(method, path, { head, body });
    if (status !== 200) throw new Error(`a first heartbeat was answered ${status}`);
    free.push(connection);
  });
  for (const connection of free) connection.close();
}

/** Who races with fifteen others for the oldest work may find none for a moment. */
async function claimed(connection: HttpConnection, head: string): Promise<unknown> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const path = '/v1/validator/work/claim';
    const { status, body } = await connection.send('POST', path, { head, body: '{}' });
    if (status === 200) return JSON.parse(body);
    if (status !== 204) throw new Error(`a claim was answered ${status}: ${body}`);
    await sleep(retryMs);
  }
  throw new Error('there is too little work');
}

/** Its key is the partition that answers. */
export function heartbeatOf(lease: HeldLease, members: readonly CrowdMember[]): WireRequest {
  const member = members[lease.validator];
  if (member === undefined) throw new Error(`no validator ${lease.validator}`);
  const path = `/v1/validator/evaluation-runs/${lease.evalRunId}/heartbeat`;
  const head = credentials(member, 'session');
  return { method: 'POST', path, head, body: '{}', key: lease.part };
}

/** Until when a heartbeat promised the lease. */
export function promisedUntilMs(body: string): number {
  return Date.parse(beatAnswer.parse(JSON.parse(body)).lease_expires_at);
}

/** Given back, so that nothing is live when a world is looked at. */
export async function releaseLeases(
  { service: { baseUrls } }: Pick<FaultWorld, 'service'>,
  leases: readonly HeldLease[],
  members: readonly CrowdMember[],
): Promise<void> {
  const free = Array.from({ length: atOnce }, () => new HttpConnection(baseUrls[0] ?? ''));
  await inParallel(atOnce, leases, async (lease) => {
    const connection = free.pop();
    if (connection === undefined) throw new Error('no connection is free');
    const { path, head } = heartbeatOf(lease, members);
    await connection.send('POST', path.replace(/heartbeat$/, 'release'), { head, body: '' });
    free.push(connection);
  });
  for (const connection of free) connection.close();
}
