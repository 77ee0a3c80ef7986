import type { ObjectStore } from '../../../infra/ports/object-store.ts';
import { refusal } from '../../../machines/refusal.ts';
import { keptKey } from '../evaluation/object-keys.ts';

/** Each is at most as large as an upload, and passes through a file of this edge. */
const copiesMax = 8;

/** Writes it to the key, unless another edge was first; undefined where there is nothing to copy. */
type Copy = (key: string) => Promise<boolean | undefined>;

/**
 * What was uploaded as it was when somebody first had it, under keys for which nobody ever gets a URL to
 * write. Each copy is made once: in this process by single flight, over all edges by the store.
 */
export class FirstCopies {
  readonly #objects: Pick<ObjectStore, 'size'>;
  readonly #underWay = new Map<string, Promise<string | undefined>>();

  constructor(objects: Pick<ObjectStore, 'size'>) {
    this.#objects = objects;
  }

  /**
   * The key of the copy; undefined where there is nothing to copy.
   *
   * @throws OVERLOADED when as many copies are being made as may be
   */
  async keyOf(uploadedKey: string, copy: Copy): Promise<string | undefined> {
    const key = keptKey(uploadedKey);
    if ((await this.#objects.size(key)) !== undefined) return key;
    return await (this.#underWay.get(key) ?? this.#start(key, copy));
  }

  #start(key: string, copy: Copy): Promise<string | undefined> {
    if (this.#underWay.size >= copiesMax) {
      throw refusal('OVERLOADED', { says: 'Too many files are fetched for the first time.' });
    }
    const copying = copy(key)
      .then((isNew) => (isNew === undefined ? undefined : key))
      .finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, copying);
    return copying;
  }
}
