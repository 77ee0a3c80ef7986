import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256Hex } from '../../../infra/ids/ids.ts';
import type { AgentFile } from '../participants/simulated-miner.ts';

const names = ['careful_shopper', 'budget_hound', 'keyword_match', 'first_hit'] as const;

// Enough apart that a race has an order, close enough that the order may change.
const careFirst = 0.92;
const carePerMiner = 0.035;
const careMin = 0.5;
const careMax = 0.97;
const changePerDay = 0.12;

/** What a miner submits on a day: its agent of the day before, a little better or worse. */
export async function agentOfDay(options: {
  readonly seed: number;
  readonly miner: number;
  readonly day: number;
}): Promise<AgentFile> {
  const { miner } = options;
  const name = names[miner % names.length] ?? 'first_hit';
  const path = join(import.meta.dirname, '../demo/agents', `${name}.py`);
  const source = await readFile(path, 'utf8');
  const tuned = source.replace(/^CARE = .+$/m, `CARE = ${careOfDay(options).toFixed(3)}`);
  return { agentName: `${name.replaceAll('_', '-')}-${miner + 1}`, code: tuned };
}

function careOfDay({ seed, miner, day }: Parameters<typeof agentOfDay>[0]): number {
  const base = careFirst - carePerMiner * miner;
  if (day === 0) return Math.max(careMin, base);
  const draw = Number.parseInt(sha256Hex(`${seed}/${miner}/${day}`).slice(0, 8), 16) / 2 ** 32;
  return Math.min(careMax, Math.max(careMin, base + (draw - 0.4) * changePerDay));
}
