import type { Clock } from '../../../infra/ports/clock.ts';
import type { Service } from '../../../infra/ports/lifecycle.ts';
import type { Logger } from '../../../infra/ports/log.ts';
import { type Seal, SealBroken } from '../../../infra/ports/seal.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import type { Telemetry } from '../../../infra/ports/telemetry.ts';
import type { Transact } from '../service-handler.ts';
import type { SealedPlace } from './sealed-place.ts';
import { countTexts, noteKeys, replaceText, takeTexts } from './store.ts';

export interface KeyRotationDeps {
  readonly sql: Sql;
  readonly transact: Transact;
  readonly seal: Seal;
  readonly places: readonly SealedPlace[];
  readonly clock: Clock;
  readonly log: Logger;
  readonly telemetry: Pick<Telemetry, 'count' | 'gauge'>;
  /** Between rounds; usual unless told. */
  readonly everyMs?: number;
}

const usualEveryMs = 5_000;
/** Locked at a time, for milliseconds: claims and completions meet these rows. */
const batchMax = 50;
/** Of a place, in a round: two processes that do not agree about the first key take turns without end. */
const resealedMax = 1_000;

/**
 * Seals anew, with the first key of the ring, what another key has sealed.
 *
 * 1. A text is replaced only while it is what was opened: what a miner or a provider changed meanwhile
 *    stands.
 * 2. Each batch is a commit of its own. Whoever dies leaves what it has done; several rotate at once.
 * 3. A text that does not open stays as it is, and holds up no other.
 * 4. A round ends, whatever others do meanwhile.
 */
export function createKeyRotation(deps: KeyRotationDeps): Service {
  const { sql, seal, places, clock, log, telemetry } = deps;
  const stopping = new AbortController();
  const stops: (() => void)[] = [];
  let counts: ReadonlyMap<string, number> = new Map();
  let unopened = new Map<string, string[]>();
  let running: Promise<void> = Promise.resolve();
  const rotate = async () => {
    try {
      const closed = new Map<string, string[]>();
      for (const place of places)
        closed.set(place.name, await resealPlace(place, deps, stopping.signal));
      tellUnopened(log, unopened, closed);
      unopened = closed;
      await noteKeys(sql);
      counts = await countTexts(sql);
    } catch (error) {
      log.warn('sealed texts could not be sealed anew; the next round tries again', { error });
    }
  };
  const current = () => counts.get(seal.sealingKeyId) ?? 0;
  const all = () => [...counts.values()].reduce((sum, count) => sum + count, 0);
  return {
    start: async () => {
      running = rotate();
      stops.push(
        clock.every(deps.everyMs ?? usualEveryMs, () => {
          running = running.then(rotate);
          return running;
        }),
        telemetry.gauge('paddock.sealed_texts', current, { key: 'first' }),
        telemetry.gauge('paddock.sealed_texts', () => all() - current(), { key: 'other' }),
      );
    },
    stop: async () => {
      for (const stop of stops.splice(0)) stop();
      stopping.abort();
      await running;
    },
  };
}

/** The ids of the texts that do not open. */
async function resealPlace(
  place: SealedPlace,
  deps: KeyRotationDeps,
  signal: AbortSignal,
): Promise<string[]> {
  const closed: string[] = [];
  let resealed = 0;
  for (let isMore = true; isMore && !signal.aborted; ) {
    const batch = await resealBatch(place, deps, closed);
    closed.push(...batch.closed);
    resealed += batch.resealed;
    isMore = batch.taken === batchMax && resealed < resealedMax;
  }
  if (resealed > 0) {
    const { log, telemetry, seal } = deps;
    telemetry.count('paddock.sealed_texts.resealed', resealed);
    log.info('sealed anew', { place: place.name, texts: resealed, keyId: seal.sealingKeyId });
  }
  return closed;
}

async function resealBatch(
  place: SealedPlace,
  { transact, seal }: KeyRotationDeps,
  but: string[],
): Promise<{ readonly taken: number; readonly resealed: number; readonly closed: string[] }> {
  return await transact(async (tx) => {
    const texts = await takeTexts(tx, place, { keyId: seal.sealingKeyId, limit: batchMax, but });
    const closed: string[] = [];
    let resealed = 0;
    for (const { id, sealed, owner } of texts) {
      const next = resealOne(seal, sealed, place.context(owner));
      if (next === undefined) closed.push(id);
      else if (await replaceText(tx, place, { id, sealed, next })) resealed += 1;
    }
    return { taken: texts.length, resealed, closed };
  });
}

function resealOne(seal: Seal, sealed: string, context: string): string | undefined {
  try {
    return seal.seal(seal.open(sealed, context), context);
  } catch (error) {
    if (error instanceof SealBroken) return undefined;
    throw error;
  }
}

/** Once, and not in each round. */
function tellUnopened(
  log: Logger,
  before: ReadonlyMap<string, readonly string[]>,
  now: ReadonlyMap<string, readonly string[]>,
): void {
  for (const [place, ids] of now) {
    const known = new Set(before.get(place));
    const news = ids.filter((id) => !known.has(id));
    if (news.length === 0) continue;
    log.error('sealed texts open with no key of this process', { place, texts: news.length });
  }
}
