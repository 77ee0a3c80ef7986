import type { CodeAnalyser, CodeVerdict } from '../../../infra/ports/code-analysis.ts';
import { ClientGone } from '../middleware/json-body.ts';

export interface Turn {
  readonly hotkey: string;
  /** Aborted when nobody waits for the outcome any more. */
  readonly signal: AbortSignal;
}

export type Analyse = (file: Uint8Array) => Promise<CodeVerdict>;

/**
 * One file of a hotkey is analysed at a time. A file may cost seconds of a processor and a rehearsal
 * costs its miner nothing, so without turns one of them could keep all others waiting for minutes.
 *
 * What follows from a verdict and bears on the next file belongs into the turn: else many files at once
 * would all be analysed, although the first of them forbids the others.
 */
export class AnalysisTurns {
  readonly #analyser: Pick<CodeAnalyser, 'analyse'>;
  readonly #last = new Map<string, Promise<unknown>>();

  constructor(analyser: Pick<CodeAnalyser, 'analyse'>) {
    this.#analyser = analyser;
  }

  async during<T>({ hotkey, signal }: Turn, work: (analyse: Analyse) => Promise<T>): Promise<T> {
    const before = this.#last.get(hotkey) ?? Promise.resolve();
    const outcome = before.then(() => {
      if (signal.aborted) throw new ClientGone();
      return work((file) => this.#analyser.analyse(file));
    });
    // The next one waits for the end of this one, however it ends.
    const over = outcome.then(
      () => undefined,
      () => undefined,
    );
    this.#last.set(hotkey, over);
    try {
      return await outcome;
    } finally {
      if (this.#last.get(hotkey) === over) this.#last.delete(hotkey);
    }
  }
}
