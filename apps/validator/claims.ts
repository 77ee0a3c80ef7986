import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { randomId } from '../../infra/ids/ids.ts';
import type { Clock } from '../../infra/ports/clock.ts';
import type { Logger } from '../../infra/ports/log.ts';
import type {
  PaddockClient,
  PostValidatorWorkClaimRequest,
} from '../cli/client/paddock.generated.ts';
import { Refusal } from '../cli/client/refusal.ts';
import type { Claim } from '../cli/client/schemas.generated.ts';
import { isFinal } from './delivery/delivery.ts';
import { writeSynced } from './write-synced.ts';

export interface ClaimsOptions {
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Longer than a run is kept for whoever does not begin it; a service remembers a key for a day. */
const patienceMs = 60 * 60_000;

const asking = z.object({ idempotency_key: z.string(), until_ms: z.number() });

type Asking = z.infer<typeof asking>;

/**
 * Asks for work.
 *
 * 1. The key of a claim stays the same until one is answered: a run whose answer was lost is leased to us, and
 *    under its key the service names it again.
 * 2. A key that was not answered in time is on disk, for the next process. One that was asked and answered in one
 *    go, as nearly all are, never touches it, and is lost with a process that is killed meanwhile.
 */
export class Claims {
  readonly #options: ClaimsOptions;
  readonly #path: string;
  #asking: Asking | undefined;
  #onDisk: string | undefined;

  static async open(options: ClaimsOptions): Promise<Claims> {
    const path = join(options.folder, 'claim.json');
    return new Claims(options, path, await readAsking(path));
  }

  private constructor(options: ClaimsOptions, path: string, left: Asking | undefined) {
    this.#options = options;
    this.#path = path;
    this.#asking = left;
    this.#onDisk = left?.idempotency_key;
  }

  /** Undefined when there is nothing to do. What it gives is to be settled. */
  async next(
    api: PaddockClient,
    body: PostValidatorWorkClaimRequest['body'],
    signal: AbortSignal,
  ): Promise<Claim | undefined> {
    const { idempotency_key: idempotencyKey } = this.#current();
    try {
      const claim = await api.postValidatorWorkClaim({ body, idempotencyKey }, { signal });
      if (claim === undefined) await this.settle();
      return claim;
    } catch (error) {
      if (isAnswer(error)) await this.settle();
      else await this.#keep();
      throw error;
    }
  }

  /** It is answered, and a run that it gave is known on its own: the next claim is another one. */
  async settle(): Promise<void> {
    this.#asking = undefined;
    if (this.#onDisk === undefined) return;
    this.#onDisk = undefined;
    await rm(this.#path, { force: true }).catch((error: unknown) => {
      // The next process asks under it, and hears of a run that it holds no more.
      this.#options.log.error('the key of a claim stays', { error });
    });
  }

  #current(): Asking {
    const nowMs = this.#options.clock.nowMs();
    if (this.#asking === undefined || nowMs >= this.#asking.until_ms)
      this.#asking = { idempotency_key: randomId(), until_ms: nowMs + patienceMs };
    return this.#asking;
  }

  async #keep(): Promise<void> {
    const asked = this.#asking;
    if (asked === undefined || asked.idempotency_key === this.#onDisk) return;
    try {
      await writeSynced(this.#path, JSON.stringify(asked));
      this.#onDisk = asked.idempotency_key;
    } catch (error) {
      this.#options.log.error('the key of a claim is not on disk', { error });
    }
  }
}

/** Whether it says that no run was leased under this key. */
function isAnswer(error: unknown): boolean {
  return error instanceof Refusal && !error.isProxys && isFinal(error);
}

async function readAsking(path: string): Promise<Asking | undefined> {
  try {
    return asking.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    // None, or one that cannot be read: a run that was leased under it ends by its lease.
    return undefined;
  }
}
