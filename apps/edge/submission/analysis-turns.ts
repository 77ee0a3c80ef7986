import type { CodeAnalyser, CodeVerdict } from '../../../infra/ports/code-analysis.ts';
import { ClientGone } from '../middleware/json-body.ts';

export interface AnalysisRequest {
  readonly hotkey: string;
  readonly file: Uint8Array;
  /** Aborted when nobody waits for the verdict any more. */
  readonly signal: AbortSignal;
}

/**
 * One file of a hotkey is analysed at a time. A file may cost seconds of a processor and a rehearsal
 * costs its miner nothing, so without turns one of them could keep all others waiting for minutes.
 */
export class AnalysisTurns {
  readonly #analyser: Pick<CodeAnalyser, 'analyse'>;
  readonly #last = new Map<string, Promise<unknown>>();

  constructor(analyser: Pick<CodeAnalyser, 'analyse'>) {
    this.#analyser = analyser;
  }

  async analyse({ hotkey, file, signal }: AnalysisRequest): Promise<CodeVerdict> {
    const before = this.#last.get(hotkey) ?? Promise.resolve();
    const verdict = before.then(() => {
      if (signal.aborted) throw new ClientGone();
      return this.#analyser.analyse(file);
    });
    // The next one waits for the end of this one, however it ends.
    const over = verdict.then(
      () => undefined,
      () => undefined,
    );
    this.#last.set(hotkey, over);
    try {
      return await verdict;
    } finally {
      if (this.#last.get(hotkey) === over) this.#last.delete(hotkey);
    }
  }
}
