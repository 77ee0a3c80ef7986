import { RecentMap } from '../../../infra/cache/recent-map.ts';
import { spool } from '../../../infra/object-store/spool.ts';
import type { Logger } from '../../../infra/ports/log.ts';
import type { ObjectStore } from '../../../infra/ports/object-store.ts';
import { refusal } from '../../../machines/refusal.ts';
import { artifactKey } from '../evaluation/object-keys.ts';
import type { FirstCopies } from './first-copies.ts';

interface KeptEpisodesDeps {
  readonly objects: Pick<ObjectStore, 'comparesUploads' | 'getStream' | 'putFileOnce'>;
  readonly copies: Pick<FirstCopies, 'keyOf'>;
  readonly scratch: string;
  readonly log: Pick<Logger, 'warn'>;
}

/** Of which is remembered that they were warned of. */
const warnedMax = 1_000;

/**
 * Trajectories, which have the SHA-256 that their key says, whoever may write there.
 *
 * 1. The URL of an upload names the SHA-256. Where the store compares it, what lies there is what was named.
 * 2. Where it does not, or does not say, whoever holds a run can put other bytes there. Then a copy is given
 *    out, which is made of nothing but the named bytes.
 */
export class KeptEpisodes {
  readonly #deps: KeptEpisodesDeps;
  #trial: Promise<boolean> | undefined;
  #isDoubtTold = false;
  readonly #warned = new RecentMap<string, true>(warnedMax);

  constructor(deps: KeptEpisodesDeps) {
    this.#deps = deps;
  }

  /**
   * The key that holds it. Where nothing was uploaded: undefined, or a key that holds nothing.
   *
   * @throws ARTIFACT_NOT_FOUND when other bytes are there, OVERLOADED when too many copies are being made
   */
  async keyOf(sha256: string): Promise<string | undefined> {
    const uploadedKey = artifactKey(sha256);
    this.#trial ??= this.#try();
    if (await this.#trial) return uploadedKey;
    return await this.#deps.copies.keyOf(uploadedKey, (key) => this.#copy(sha256, key));
  }

  /** A store that does not say is asked again by the next read. */
  async #try(): Promise<boolean> {
    const { objects, log } = this.#deps;
    try {
      const compares = await objects.comparesUploads();
      if (!compares) log.warn(takesOthers);
      return compares;
    } catch (error) {
      this.#trial = undefined;
      if (!this.#isDoubtTold) log.warn(saysNeither, { error });
      this.#isDoubtTold = true;
      return false;
    }
  }

  async #copy(sha256: string, key: string): Promise<boolean | undefined> {
    const { objects, scratch } = this.#deps;
    const uploaded = await objects.getStream(artifactKey(sha256));
    if (uploaded === undefined) return undefined;
    await using file = await spool(uploaded, scratch);
    if (file.sha256 !== sha256) {
      this.#warnOf(sha256, file.sha256);
      throw refusal('ARTIFACT_NOT_FOUND', {
        says: 'What lies in the store is not the trajectory that the validator of this episode named.',
        next: 'Tell the operators of this service.',
      });
    }
    return await objects.putFileOnce(key, file.path, { contentType: unknownType, sha256 });
  }

  #warnOf(sha256: string, foundSha256: string): void {
    if (this.#warned.get(sha256) !== undefined) return;
    this.#warned.set(sha256, true);
    this.#deps.log.warn(isForged, { key: artifactKey(sha256), foundSha256 });
  }
}

const unknownType = 'application/octet-stream';
const takesOthers =
  'the object store takes other bytes than a presigned URL names: episodes are given out as copies, once their SHA-256 was compared';
const saysNeither =
  'whether the object store compares the SHA-256 of a presigned URL is not known: until it is, episodes are given out as copies';
const isForged =
  'the bytes of an episode have another SHA-256 than its validator named: it is not given out';
