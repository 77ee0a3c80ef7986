import type { Prng } from '../kernel/prng.ts';
import type { SimProcess } from '../kernel/sim-process.ts';

/**
 * What becomes of a statement. `lost-unsent` and `lost-late`: the connection goes away and the caller
 * hears so at once, while the statement is never run, or a moment later. `lost-answered`: it was run,
 * and the answer is lost. `held`: it leaves the process when that runs again after a stop.
 */
export type StatementFate =
  | 'done'
  | 'held'
  | 'lost-answered'
  | 'lost-late'
  | 'lost-unsent'
  | 'refused';

export interface DatabaseWeather {
  fateOf(process: SimProcess, statement: string): StatementFate;
  /** Called with the world stopped, between the commit and whatever the caller makes of it. */
  onExecuted(process: SimProcess, statement: string): void;
}

type Outcome = { readonly value: unknown } | { readonly error: unknown };

/** One process's connections to the database: each statement is one step, its answer another. */
export class DatabaseLink {
  readonly process: SimProcess;
  readonly #weather: DatabaseWeather;
  readonly #random: Prng;

  constructor(process: SimProcess, weather: DatabaseWeather) {
    this.process = process;
    this.#weather = weather;
    this.#random = process.kernel.randomFor(`database of ${process.name}`);
  }

  /** `heldMs`: for so long it waits for a lock, once it was sent. */
  perform<T>(statement: string, run: () => Promise<T>, heldMs = 0): Promise<T> {
    return new Promise((resolve, reject) => {
      const { kernel } = this.process;
      const fate = this.#weather.fateOf(this.process, statement);
      const answer = (outcome: Outcome) => {
        this.process.resume(this.#latencyMs(), `answer ${statement}`, () => {
          if ('error' in outcome) reject(outcome.error);
          else resolve(outcome.value as T);
        });
      };
      if (fate === 'refused') return answer({ error: failure('ECONNREFUSED') });
      if (fate === 'lost-unsent' || fate === 'lost-late') {
        answer({ error: failure('CONNECTION_CLOSED') });
        if (fate === 'lost-unsent') return;
      }
      const lateMs = fate === 'lost-late' ? this.#random.between(5, 3_000) : this.#latencyMs();
      const delayMs = lateMs + heldMs;
      const execute = async () => {
        // What a killed process had sent is run by the server, or was still in its own buffers.
        if (!this.process.isAlive && this.#random.happens(500)) return;
        const outcome = await outcomeOf(run);
        this.#weather.onExecuted(this.process, statement);
        if (fate === 'done' || fate === 'held') answer(outcome);
        if (fate === 'lost-answered') answer({ error: failure('CONNECTION_CLOSED') });
      };
      const send = () =>
        void kernel.after(delayMs, `${this.process.name} runs ${statement} (${fate})`, execute);
      if (fate === 'held') this.process.resume(0, `sends ${statement}`, send);
      else send();
    });
  }

  #latencyMs(): number {
    return 0.2 + this.#random.below(2_000) / 1000;
  }
}

async function outcomeOf(run: () => Promise<unknown>): Promise<Outcome> {
  try {
    return { value: await run() };
  } catch (error) {
    return { error };
  }
}

/** Coded as the client library codes it. */
function failure(code: string): Error {
  return Object.assign(new Error(`simulated ${code}`), { code });
}
