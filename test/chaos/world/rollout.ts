import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { signalProcess } from '../../support/coordinator-faults.ts';
import type { Reached } from '../measures/reachability.ts';
import type { ChaosProcess } from './chaos-world.ts';

const againMs = 1_000;
const ownRoot = fileURLToPath(new URL('../../..', import.meta.url));

export type Replaceable = Pick<ChaosProcess, 'kind' | 'name'> & {
  readonly kept: Pick<ChaosProcess['kept'], 'pid'>;
};

/** Why there is nothing to upgrade from in this folder; undefined where there is. */
export function missingRelease(folder: string): string | undefined {
  const needed = join(resolve(folder), 'apps/coordinator/main.ts');
  return existsSync(needed) ? undefined : `There is no release in ${folder}: no ${needed}.`;
}

/** A release of which all processes are at first, and which of them are of this one by now. */
export class Rollout {
  readonly #earlierRoot: string;
  readonly #replaced = new Set<string>();
  /** Started since as this release. */
  readonly #begun = new Set<string>();

  /** @param folder an installed checkout of the release before */
  constructor(folder: string) {
    this.#earlierRoot = resolve(folder);
  }

  /** Asked at each start. */
  readonly rootOf = (name: string): string => {
    if (!this.#replaced.has(name)) return this.#earlierRoot;
    this.#begun.add(name);
    return ownRoot;
  };

  /** A run that ended before all were replaced has not shown an upgrade. */
  reached(processes: number): Reached {
    const count = this.#begun.size;
    return { what: 'processes replaced by this release', count, minimum: processes };
  }

  /** One after the other over this time, coordinators before edges, as the guide for operators has it. */
  async replaceAll(
    processes: readonly Replaceable[],
    terms: {
      readonly seconds: number;
      readonly signal: AbortSignal;
      readonly onReplaced: (name: string, pid: number) => void;
    },
  ): Promise<void> {
    const of = (kind: Replaceable['kind']) => processes.filter((process) => process.kind === kind);
    const stepMs = (terms.seconds * 1000) / (processes.length + 1);
    for (const { name, kept } of [...of('coordinator'), ...of('edge')]) {
      await systemClock.sleep(stepMs, terms.signal);
      if (terms.signal.aborted) return;
      this.#replaced.add(name);
      // A fault may just have ended it, and its next start may have begun as what it was.
      for (; !this.#begun.has(name); await systemClock.sleep(againMs, terms.signal)) {
        if (terms.signal.aborted) return;
        const { pid } = kept;
        if (!signalProcess(kept, 'SIGTERM')) continue;
        terms.onReplaced(name, pid);
        break;
      }
    }
  }
}
