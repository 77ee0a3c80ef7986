import type { ObjectStore } from '../../../infra/ports/object-store.ts';
import type { FirstCopies } from './first-copies.ts';

interface KeptLogsDeps {
  readonly objects: Pick<ObjectStore, 'copyOnce'>;
  readonly copies: FirstCopies;
  readonly scratch: string;
}

/**
 * Logs as they were when somebody first had them. The URL of their upload binds no checksum, since
 * nobody knows their bytes before, and may be sent again while it lives, whatever became of the run;
 * so what is given out is a copy.
 */
export class KeptLogs {
  readonly #deps: KeptLogsDeps;

  constructor(deps: KeptLogsDeps) {
    this.#deps = deps;
  }

  /**
   * The key of the copy; undefined where nothing was uploaded.
   *
   * @throws OVERLOADED when as many copies are being made as may be
   */
  async keyOf(uploadedKey: string): Promise<string | undefined> {
    const { objects, copies, scratch } = this.#deps;
    return await copies.keyOf(uploadedKey, (key) => objects.copyOnce(uploadedKey, key, scratch));
  }
}
