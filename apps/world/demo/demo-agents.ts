import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentFile } from '../participants/simulated-miner.ts';

/** In the order in which miners take them, so that few miners already show every kind of answer. */
const fileNames = [
  'careful_shopper',
  'half_typed',
  'keyword_match',
  'eager_start',
  'budget_hound',
  'shell_out',
  'first_hit',
] as const;

type FileName = (typeof fileNames)[number];

/** What reference validators really run: one that reads closely, one that half does, one that does not. */
const exampleNames: readonly FileName[] = ['careful_shopper', 'keyword_match', 'first_hit'];
export const exampleAgentCount = exampleNames.length;

/** What later miners vary; the flawed ones would only repeat a refusal. */
const soundNames: readonly FileName[] = [
  'careful_shopper',
  'budget_hound',
  'keyword_match',
  'first_hit',
];

/** One file per miner; beyond the first ones the sound ones come again, a little less careful. */
export async function demoAgents(
  count: number,
  { isReal = false }: { readonly isReal?: boolean } = {},
): Promise<readonly AgentFile[]> {
  const firstNames = isReal ? exampleNames : fileNames;
  const sources = new Map<FileName, string>();
  for (const name of fileNames) {
    const path = join(import.meta.dirname, 'agents', `${name}.py`);
    sources.set(name, await readFile(path, 'utf8'));
  }
  return Array.from({ length: count }, (_, index) => {
    const first = firstNames[index];
    if (first !== undefined) return agentFile(first, sources.get(first) ?? '');
    return variant(index - firstNames.length, sources);
  });
}

const carelessnessStep = 0.02;
const careMin = 0.1;

function variant(index: number, sources: ReadonlyMap<FileName, string>): AgentFile {
  const name = soundNames[index % soundNames.length] ?? 'first_hit';
  const round = Math.floor(index / soundNames.length) + 2;
  const { agentName, code } = agentFile(name, sources.get(name) ?? '');
  const tuned = code.replace(/^CARE = (.+)$/m, (_line, care: string) => {
    const less = Number(care) - (round - 1) * carelessnessStep;
    return `CARE = ${Math.max(careMin, less).toFixed(2)}`;
  });
  return { agentName: `${agentName}-${round}`, code: tuned };
}

function agentFile(name: FileName, code: string): AgentFile {
  return { agentName: name.replaceAll('_', '-'), code };
}
