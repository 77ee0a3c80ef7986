import { fork } from 'node:child_process';
import { Counters } from './report/counters.ts';
import type { SeedReport } from './run-sim.ts';
import type { Share } from './seed-worker.ts';

interface Told {
  readonly seed?: SeedReport;
  readonly counts?: readonly [string, number][];
}

export interface SharedReport {
  readonly seeds: readonly SeedReport[];
  readonly counts: ReadonlyMap<string, number>;
}

/** The seeds in `processes` equal parts, side by side. What a seed does depends on no other. */
export async function runShared(
  share: Share,
  processes: number,
  onSeed: (report: SeedReport) => void,
): Promise<SharedReport> {
  const counters = new Counters();
  const seeds: SeedReport[] = [];
  const size = Math.ceil(share.seeds / processes);
  const parts = Array.from({ length: processes }, (_, index) => ({
    ...share,
    seed: share.seed + index * size,
    seeds: Math.min(size, share.seeds - index * size),
  })).filter((part) => part.seeds > 0);
  await Promise.all(
    parts.map((part) =>
      runPart(part, (told) => {
        if (told.seed !== undefined) {
          seeds.push(told.seed);
          onSeed(told.seed);
        }
        counters.merge(new Map(told.counts ?? []));
      }),
    ),
  );
  seeds.sort((left, right) => left.seed - right.seed);
  return { seeds, counts: counters.all };
}

function runPart(part: Share, onTold: (told: Told) => void): Promise<void> {
  const worker = fork(new URL('seed-worker.ts', import.meta.url));
  worker.on('message', onTold);
  worker.send(part);
  return new Promise((resolve, reject) => {
    worker.once('error', reject);
    worker.once('exit', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`a worker ended with ${code}`));
    });
  });
}
