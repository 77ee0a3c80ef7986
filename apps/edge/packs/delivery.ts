import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { packsService } from '../../../actors/services/packs/messages.ts';
import { sha256Hex } from '../../../infra/ids/ids.ts';
import { scratchFor } from '../../../infra/local/scratch-folder.ts';
import { spool } from '../../../infra/object-store/spool.ts';
import { buildSubPack } from '../../../infra/packs/build-sub-pack.ts';
import { PackInvalid } from '../../../infra/packs/pack-invalid.ts';
import { PackMissing } from '../../../infra/packs/pack-missing.ts';
import type { WrittenArchive } from '../../../infra/packs/write-archive.ts';
import type { CommandBus } from '../../../infra/ports/bus.ts';
import type { Clock } from '../../../infra/ports/clock.ts';
import type { ObjectStore } from '../../../infra/ports/object-store.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { deliveryKey as deliveryObjectKey, packKey } from '../evaluation/object-keys.ts';
import { type DeliveryRow, deliveryOf } from '../reads/packs.ts';

export interface Deliveries {
  /** The sub-archive of a pack with these tasks alone; built at the first need, then remembered. */
  of(packSha256: string, taskIds: readonly string[]): Promise<DeliveryRow>;
}

interface DeliveriesDeps {
  readonly sql: Sql;
  readonly bus: CommandBus;
  readonly objects: ObjectStore;
  /** What is built lies there for a moment. */
  readonly scratch: string;
  readonly clock: Pick<Clock, 'monotonicMs' | 'sleep'>;
}

/** How long a store has to say. */
const lookMs = 2_000;
/** How long one that did not is not asked again. */
const silentMs = 60_000;

/**
 * Builds sub-archives once: in this process by single flight, over all edges by the row that names
 * the first one. Two edges that both build make the same bytes, unless their Node compresses otherwise.
 * What a restored bucket lacks, or an expiry took, or a power cut left empty, is built again: each pack
 * that is handed out would fail else. So the store is asked each time, once for all who ask at that
 * moment: what was there a minute ago may have been removed since.
 */
export function createDeliveries(deps: DeliveriesDeps): Deliveries {
  const flights = new Map<string, Promise<DeliveryRow>>();
  const isThere = inStore(deps);
  const find = async (packSha256: string, taskIds: readonly string[], key: string) => {
    const known = await deliveryOf(deps.sql, packSha256, key);
    if (known !== undefined && (await isThere(known))) return known;
    return await build(packSha256, { taskIds, key, lost: known?.deliverySha256 ?? null }, deps);
  };
  return {
    async of(packSha256, taskIds) {
      const key = sha256Hex(JSON.stringify(taskIds));
      const flight = `${packSha256}/${key}`;
      const begun =
        flights.get(flight) ?? find(packSha256, taskIds, key).finally(() => flights.delete(flight));
      flights.set(flight, begun);
      return await begun;
    },
  };
}

/** A store that does not say is believed to have it, and whole. */
function inStore({ objects, clock }: Pick<DeliveriesDeps, 'clock' | 'objects'>) {
  let silentAtMs = Number.NEGATIVE_INFINITY;
  return async ({ deliverySha256: sha256, sizeBytes }: DeliveryRow): Promise<boolean> => {
    if (clock.monotonicMs() - silentAtMs < silentMs) return true;
    const looked = new AbortController();
    const said = objects
      .holds(deliveryObjectKey(sha256), { sha256, sizeBytes })
      .catch(() => undefined);
    const late = clock.sleep(lookMs, looked.signal).then(() => undefined);
    const isWhole = await Promise.race([said, late]);
    looked.abort();
    if (isWhole === undefined) silentAtMs = clock.monotonicMs();
    return isWhole ?? true;
  };
}

interface Wanted {
  readonly taskIds: readonly string[];
  readonly key: string;
  /** What is registered for them, and was looked for in vain, or is another one by now. */
  readonly lost: string | null;
}

async function build(
  packSha256: string,
  wanted: Wanted,
  { bus, objects, scratch }: Omit<DeliveriesDeps, 'clock' | 'sql'>,
): Promise<DeliveryRow> {
  const folder = await scratchFor(scratch, 'pack-');
  try {
    const targetPath = join(folder, 'delivery.tar.gz');
    await using pack = await packFrom(objects, packSha256, folder);
    const built = await buildSubPack({
      sourcePath: pack.path,
      taskIds: wanted.taskIds,
      targetPath,
    });
    await keep(built, targetPath, objects);
    const reply = await bus.call(packsService.name, {
      id: sha256Hex(`delivery\n${packSha256}\n${wanted.key}\n${wanted.lost}\n${built.sha256}`),
      type: 'register-delivery',
      account: 'system',
      body: {
        packSha256,
        deliveryKey: wanted.key,
        deliverySha256: built.sha256,
        sizeBytes: built.sizeBytes,
        lostSha256: wanted.lost,
      },
    });
    return packsService.messages['register-delivery'].reply.parse(reply);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Other bytes may be a pack as well, and would come to be delivered as this one. */
async function packFrom(objects: ObjectStore, packSha256: string, scratch: string) {
  const source = await objects.getStream(packKey(packSha256));
  if (source === undefined)
    throw new PackMissing(`the kept pack ${packSha256} is not in the store`);
  const pack = await spool(source, scratch);
  if (pack.sha256 === packSha256) return pack;
  await pack[Symbol.asyncDispose]();
  throw new PackInvalid(`the kept pack ${packSha256} hashes to ${pack.sha256} by now`);
}

/** Nothing that is whole is replaced: somebody may be in the middle of it. */
async function keep(built: WrittenArchive, path: string, objects: ObjectStore): Promise<void> {
  const key = deliveryObjectKey(built.sha256);
  const options = { contentType: 'application/gzip', sha256: built.sha256 };
  if (await objects.putFileOnce(key, path, options)) return;
  if (!(await objects.holds(key, built))) await objects.putFile(key, path, options);
}
