import { setTimeout as pause } from 'node:timers/promises';
import { differenceOf, fingerprint, untilStill } from '../fuzz/fingerprint.ts';
import type { ServiceDoor } from '../support/edge.ts';
import { Canary, type CanaryReport } from './canary.ts';
import { floodingAddresses } from './categories/limits.ts';
import { categoriesOf } from './categories.ts';
import { gather } from './gather.ts';
import { HostileLoad } from './hostile-load.ts';
import type { Category } from './hostile-request.ts';
import type { Material } from './material.ts';
import { RequestSource } from './request-source.ts';
import { Tally } from './tally.ts';

export interface HostilePlan {
  readonly door: ServiceDoor;
  readonly seed: number;
  readonly count: number;
  readonly connections: number;
  readonly depth: number;
  readonly publicRatePerMinute: number;
  readonly onProgress?: (done: number) => void;
  /** Requests that the service lets in, to see that the run says so. */
  readonly plantedHole?: (material: Material) => Category;
  /** Called once the world is filled, before and after the load. */
  readonly measure?: () => Promise<void>;
}

export interface HostileReport {
  readonly tally: Tally;
  readonly tookMs: number;
  readonly canary: CanaryReport;
  /** The first table in which a row changed. */
  readonly changedTable: string | undefined;
  /** Answers beyond the limit of the addresses that flooded. */
  readonly floodExcess: number;
  readonly objections: readonly string[];
}

/** What proofs, refusals and the background write; hostile requests may add to them. */
const bookkeeping = [
  ...['nonce', 'challenge', 'session', 'rejected_submission', 'validator', 'run_beat', 'seal_key'],
  ...['inference_snapshot', 'inference_past_credential', 'inference_key'],
  ...['inference_check', 'inference_overtaken_check'],
  ...['idempotency'],
];
/** An honest validator beats all the time. */
const beatenColumns = { evaluation_run: ['lease_expires_at'] };
const canaryEveryMs = 100;

/** Fills the service, floods it, and says what got through. */
export async function runHostile(plan: HostilePlan): Promise<HostileReport> {
  const { door, seed, count, connections, depth } = plan;
  const { sql, baseUrls, objects } = door;
  const { material, canary: honest } = await gather(door);
  const holes = plan.plantedHole === undefined ? [] : [plan.plantedHole(material)];
  const source = new RequestSource([...categoriesOf(material), ...holes], seed);
  const canary = new Canary({ ...honest, everyMs: canaryEveryMs });
  const tally = new Tally();
  await untilStill(sql, 60_000);
  const before = await fingerprint(sql, bookkeeping, beatenColumns);
  await plan.measure?.();
  canary.start();
  await pause(5 * canaryEveryMs);
  const ports = baseUrls.map((url) => Number(new URL(url).port));
  const objectsPort = Number(new URL(objects.url).port);
  const load = { ports, objectsPort, count, connections, depth };
  const { onProgress } = plan;
  const startedMs = performance.now();
  await new HostileLoad({ ...load, ...(onProgress && { onProgress }) }, source, tally).run();
  const tookMs = performance.now() - startedMs;
  const seen = await canary.stop();
  await untilStill(sql, 60_000);
  await plan.measure?.();
  const changedTable = differenceOf(before, await fingerprint(sql, bookkeeping, beatenColumns));
  const floodExcess = excessOf(tally, plan.publicRatePerMinute, tookMs);
  const found = { tally, tookMs, canary: seen, changedTable, floodExcess };
  return { ...found, objections: objectionsTo(found) };
}

/** How many a flood got through beyond what its addresses have a right to. */
function excessOf(tally: Tally, perMinute: number, tookMs: number): number {
  const through = tally.count([200, 403, 404], 'floods and claimed addresses');
  const windows = Math.ceil(tookMs / 60_000) + 1;
  return Math.max(0, through - floodingAddresses.length * perMinute * windows);
}

function objectionsTo(found: Omit<HostileReport, 'objections'>): readonly string[] {
  const { tally, canary, changedTable, floodExcess } = found;
  const objections: string[] = [];
  if (tally.findingCount > 0) objections.push(`${tally.findingCount} answers that may not be`);
  if (changedTable !== undefined) objections.push(`rows of ${changedTable} changed`);
  if (canary.failures.length > 0)
    objections.push(`${canary.failures.length} honest requests failed`);
  if (canary.answered === 0) objections.push('no honest request was answered');
  if (floodExcess > 0) objections.push(`${floodExcess} requests beyond a limit were answered`);
  return objections;
}
