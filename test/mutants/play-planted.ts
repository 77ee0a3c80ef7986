/**
 * One mutant, or none, through the simulator or through chaos, in a process of its own: what is planted
 * is in its memory and cannot be taken out again. Prints its verdict as one line of JSON.
 */
import { parseArgs } from 'node:util';
import { closeSql, createSql } from '../../infra/postgres/client.ts';
import { ServerClock } from '../sim/database/server-clock.ts';
import { mutantNamed } from './every-mutant.ts';
import { loadedEdits } from './load-hook.ts';
import type { Mutant, World } from './mutant.ts';
import { patchDatabase } from './patch-database.ts';
import type { Verdict } from './verdict.ts';

const { values } = parseArgs({
  options: {
    by: { type: 'string', default: 'sim' },
    id: { type: 'string' },
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1' },
    days: { type: 'string', default: '1' },
    world: { type: 'string', default: 'stormy' },
  },
});
/** Of the simulator. */
const worlds = {
  calm: { hasFaults: false },
  dark: { onlyFaults: ['broker died'] },
  deaf: { onlyFaults: ['edge killed'] },
  dry: { onlyFaults: ['database away'] },
  frozen: { onlyFaults: ['crash planned'], crashPoint: 'stopped-at-commit' },
  moving: { onlyFaults: ['coordinator drained', 'coordinator killed'], hasLateFlushes: true },
  stormy: {},
} as const;
/** When the statement was sent, by the clock of the simulated domain. */
const simulatedStart = ServerClock.says('sentUs');
const mutant = values.id === undefined ? undefined : mutantNamed(values.id);
const seed = Number(values.seed);
const verdict = values.by === 'chaos' ? await throughChaos() : await throughSim();
console.log(JSON.stringify(verdict));

async function throughSim(): Promise<Verdict> {
  const { runSim } = await import('../sim/run-sim.ts');
  let seeds = 0;
  const report = await runSim({
    seed,
    seeds: Number(values.seeds),
    days: Number(values.days),
    onSeed: () => {
      seeds += 1;
    },
    ...worlds[values.world as World],
    ...(mutant && { patchSchema: (sql) => patchDatabase(sql, mutant, simulatedStart) }),
  });
  requireLoaded(mutant);
  return {
    seeds,
    steps: report.steps,
    violations: report.violations.map(({ invariant, text, step }) => ({ invariant, text, step })),
  };
}

/** The world's processes load what is planted themselves. */
async function throughChaos(): Promise<Verdict> {
  const { runChaos } = await import('../chaos/chaos.ts');
  const hook = `--import=${new URL('load-hook.ts', import.meta.url).href}`;
  const { violations } = await runChaos({
    ...{ seed, seconds: 60, edges: 2, coordinators: 2, validators: 40, miners: 8, perSecond: 5 },
    env: mutant === undefined ? {} : { NODE_OPTIONS: hook, PADDOCK_PLANTED: mutant.id },
    ...(mutant && { afterMigrate: (url: string) => patchAt(url, mutant) }),
    say: () => undefined,
  });
  return {
    seeds: 1,
    steps: undefined,
    violations: violations.map((text) => {
      return { invariant: /INV-\d\d/.exec(text)?.[0] ?? 'CHAOS', text, step: undefined };
    }),
  };
}

async function patchAt(url: string, planted: Mutant): Promise<void> {
  const sql = createSql({ url, max: 1, applicationName: 'mutants' });
  try {
    await patchDatabase(sql, planted);
  } finally {
    await closeSql(sql);
  }
}

/** What is not in memory was not tried. */
function requireLoaded(tried: Mutant | undefined): void {
  for (const edit of tried?.edits ?? []) {
    if (edit.file.endsWith('.ts') && !loadedEdits.some((loaded) => loaded === edit)) {
      throw new Error(`${edit.file} was never loaded`);
    }
  }
}
