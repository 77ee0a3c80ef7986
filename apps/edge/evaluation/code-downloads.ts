import { RecentMap } from '../../../infra/cache/recent-map.ts';
import type { Clock } from '../../../infra/ports/clock.ts';
import type { ObjectStore } from '../../../infra/ports/object-store.ts';
import { codeKey } from './object-keys.ts';

interface Signed {
  readonly url: Promise<string>;
  readonly signedMs: number;
}

/** Of the life of a URL: whoever gets one that was signed before still has most of it. */
const rememberedShare = 1 / 6;
/** Versions that are being evaluated; half a kilobyte each. */
const rememberedMax = 2_000;

/**
 * Where a version's code is downloaded. Signing costs more than everything else that a claim costs an
 * edge, and each version is claimed several times in a row, by callers of whom each may read it.
 */
export class CodeDownloads {
  readonly #objects: Pick<ObjectStore, 'presignGet'>;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #lifeSeconds: number;
  readonly #signed = new RecentMap<string, Signed>(rememberedMax);

  constructor(
    objects: Pick<ObjectStore, 'presignGet'>,
    clock: Pick<Clock, 'monotonicMs'>,
    lifeSeconds: number,
  ) {
    this.#objects = objects;
    this.#clock = clock;
    this.#lifeSeconds = lifeSeconds;
  }

  urlOf(codeSha256: string): Promise<string> {
    const nowMs = this.#clock.monotonicMs();
    const known = this.#signed.get(codeSha256);
    const rememberedMs = this.#lifeSeconds * 1000 * rememberedShare;
    if (known !== undefined && nowMs - known.signedMs < rememberedMs) return known.url;
    const url = this.#objects.presignGet(codeKey(codeSha256), this.#lifeSeconds);
    const signed = { url, signedMs: nowMs };
    this.#signed.set(codeSha256, signed);
    url.catch(() => {
      if (this.#signed.get(codeSha256) === signed) this.#signed.delete(codeSha256);
    });
    return url;
  }
}
