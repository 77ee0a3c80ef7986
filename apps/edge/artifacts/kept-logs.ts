import type { ObjectStore } from '../../../infra/ports/object-store.ts';
import { refusal } from '../../../machines/refusal.ts';
import { keptLogsKey } from '../evaluation/object-keys.ts';

/** Each is at most as large as an upload of logs, and passes through a file of this edge. */
const copiesMax = 8;

/**
 * Logs as they were when somebody first had them. The URL of their upload binds no checksum, since
 * nobody knows their bytes before, and may be sent again while it lives, whatever became of the run;
 * so what is given out is a copy, under a key for which nobody ever gets a URL to write. It is made
 * once: in this process by single flight, over all edges by the store.
 */
export class KeptLogs {
  readonly #objects: Pick<ObjectStore, 'copyOnce' | 'size'>;
  readonly #scratch: string;
  readonly #underWay = new Map<string, Promise<string | undefined>>();

  constructor(objects: Pick<ObjectStore, 'copyOnce' | 'size'>, scratch: string) {
    this.#objects = objects;
    this.#scratch = scratch;
  }

  /**
   * The key of the copy; undefined where nothing was uploaded.
   *
   * @throws OVERLOADED when as many copies are being made as may be
   */
  async keyOf(uploadedKey: string): Promise<string | undefined> {
    const key = keptLogsKey(uploadedKey);
    if ((await this.#objects.size(key)) !== undefined) return key;
    return await (this.#underWay.get(uploadedKey) ?? this.#start(uploadedKey, key));
  }

  #start(uploadedKey: string, key: string): Promise<string | undefined> {
    if (this.#underWay.size >= copiesMax) {
      throw refusal('OVERLOADED', { says: 'Too many logs are fetched for the first time.' });
    }
    const copying = this.#copy(uploadedKey, key).finally(() => this.#underWay.delete(uploadedKey));
    this.#underWay.set(uploadedKey, copying);
    return copying;
  }

  async #copy(uploadedKey: string, key: string): Promise<string | undefined> {
    const isNew = await this.#objects.copyOnce(uploadedKey, key, this.#scratch);
    return isNew === undefined ? undefined : key;
  }
}
