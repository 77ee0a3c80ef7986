import type { OperatorClient } from '../operator-client.ts';
import { table } from '../terminal.ts';

export interface Leaderboard {
  readonly total: number;
  readonly lines: readonly string[];
}

const head = ['#', 'agent', 'miner', 'score', '95 % interval', 'would race'];

/** The best of the active suite as the public sees them, miners by the names of the story. */
export async function readLeaderboard(
  operator: OperatorClient,
  minerNames: ReadonlyMap<string, string>,
): Promise<Leaderboard> {
  const { total, entries } = await operator.api.getPublicLeaderboard({ limit: 20 });
  const rows = entries.map((entry) => [
    String(entry.rank),
    `${entry.agent_name} v${entry.version_number}`,
    minerNames.get(entry.miner_hotkey) ?? `${entry.miner_hotkey.slice(0, 8)}…`,
    fixed(entry.final_score),
    `${fixed(entry.score_low)} to ${fixed(entry.score_high)}`,
    entry.is_active_qualifier ? 'yes' : 'below threshold',
  ]);
  return { total, lines: table([head, ...rows]) };
}

function fixed(score: number | null): string {
  return score === null ? '-' : score.toFixed(4);
}
