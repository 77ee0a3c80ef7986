import { authService } from '../../../actors/services/auth/messages.ts';
import { afterThisTurn } from '../../../infra/clock/this-turn.ts';
import { randomId } from '../../../infra/ids/ids.ts';
import type { CommandBus, RequestBudget } from '../../../infra/ports/bus.ts';
import type { Clock } from '../../../infra/ports/clock.ts';
import { askService } from '../ask-service.ts';
import { readOnly } from '../read-only.ts';

interface Use {
  readonly hotkey: string;
  readonly nonce: string;
  /** Until when an outage is waited out; undefined where the caller is told of it at once. */
  readonly untilMs?: number | undefined;
}

interface Waiting extends Use {
  readonly settle: PromiseWithResolvers<boolean>;
}

// A row of a batch costs the database a few microseconds, a statement and its commit several hundred:
// one batch is under way at a time, as long as it is quick. Behind a slow one others are begun, so that
// it holds nobody up.
const batchSizeMax = 256;
const batchesAtOnceMax = 8;
/** Several times what a batch takes. */
const quickMs = 15;

/**
 * Takes nonces, each once over all edges and restarts: the primary key in the database decides. Those
 * that come while batches are under way travel together in the next one.
 *
 * Uses that wait for an outage to pass travel apart from those that do not: in one batch, or in its
 * turn, each would be held to the patience of the other.
 */
export class NonceLedger {
  readonly #isReadOnly: () => boolean;
  readonly #usual: Batches;
  readonly #patient: Batches;

  constructor(
    bus: CommandBus,
    clock: Pick<Clock, 'nowMs' | 'sleep'>,
    isReadOnly: () => boolean = () => false,
  ) {
    this.#isReadOnly = isReadOnly;
    this.#usual = new Batches(bus, clock, () => undefined);
    this.#patient = new Batches(bus, clock, (batch) => {
      const untilMs = Math.max(...batch.map((use) => use.untilMs ?? 0));
      return { budgetMs: untilMs - clock.nowMs(), isPatient: true };
    });
  }

  /** False when the key used this nonce before. */
  async take(use: Use): Promise<boolean> {
    if (this.#isReadOnly()) throw readOnly();
    return await (use.untilMs === undefined ? this.#usual : this.#patient).take(use);
  }
}

class Batches {
  readonly #bus: CommandBus;
  readonly #budgetOf: (batch: readonly Use[]) => RequestBudget | undefined;
  readonly #waiting = new Map<string, Waiting>();
  readonly #clock: Pick<Clock, 'sleep'>;
  #underWay = 0;
  /** Somebody looks in a moment whether those who wait must wait on. */
  #isWatched = false;

  constructor(
    bus: CommandBus,
    clock: Pick<Clock, 'sleep'>,
    budgetOf: (batch: readonly Use[]) => RequestBudget | undefined,
  ) {
    this.#bus = bus;
    this.#clock = clock;
    this.#budgetOf = budgetOf;
  }

  async take(use: Use): Promise<boolean> {
    const key = `${use.hotkey} ${use.nonce}`;
    // The same use twice in one batch: the first one has it.
    if (this.#waiting.has(key)) return false;
    const settle = Promise.withResolvers<boolean>();
    this.#waiting.set(key, { ...use, settle });
    // What arrived in the same turn shares a batch.
    if (this.#waiting.size === 1) afterThisTurn(() => this.#sendOrWatch());
    return await settle.promise;
  }

  #sendOrWatch(): void {
    if (this.#underWay === 0) this.#send();
    else if (!this.#isWatched) void this.#watch();
  }

  async #watch(): Promise<void> {
    this.#isWatched = true;
    await this.#clock.sleep(quickMs);
    this.#isWatched = false;
    this.#send();
  }

  #send(): void {
    if (this.#underWay >= batchesAtOnceMax || this.#waiting.size === 0) return;
    const batch = [...this.#waiting].slice(0, batchSizeMax);
    for (const [key] of batch) this.#waiting.delete(key);
    this.#underWay += 1;
    void this.#settle(batch.map(([, waiting]) => waiting));
    // More than one batch came in one turn.
    if (this.#waiting.size > 0 && !this.#isWatched) void this.#watch();
  }

  /** Whoever asks again does so under the same id: a batch whose answer got lost knows its own. */
  async #settle(batch: readonly Waiting[]): Promise<void> {
    try {
      const budget = this.#budgetOf(batch);
      const { fresh } = await askService(this.#bus, authService, {
        type: 'record-nonces',
        body: { nonces: batch.map(({ hotkey, nonce }) => ({ hotkey, nonce })) },
        id: randomId(),
        account: 'system',
        ...(budget !== undefined && { budget }),
      });
      for (const [index, { settle }] of batch.entries()) settle.resolve(fresh[index] === true);
    } catch (error) {
      for (const { settle } of batch) settle.reject(error);
    } finally {
      this.#underWay -= 1;
      this.#send();
    }
  }
}
