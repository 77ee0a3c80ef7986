import type { ResultColumns } from '../../../actors/lease-manager/result-columns.ts';
import { textBytes } from './chunks.ts';
import type { EpisodeItem } from './episode-item.ts';

/** An item of a batch whose shape is right, with the texts that travel as they are. */
export interface PlacedItem {
  readonly index: number;
  readonly item: EpisodeItem;
  readonly verdictChecks: string;
  readonly rewardComponents: string;
  readonly counts: Counts;
  /** Of the item's JSON. */
  readonly bytes: number;
}

/** What is shown of checks and components, counted once where they are parsed. */
interface Counts {
  readonly checks: Readonly<Record<Verdict, number>>;
  readonly components: number;
}

type Verdict = EpisodeItem['verdict_checks'][string];

export function placeItem(index: number, item: EpisodeItem): PlacedItem {
  const verdictChecks = JSON.stringify(item.verdict_checks);
  const rewardComponents = JSON.stringify(item.reward_components);
  const texts = Buffer.byteLength(verdictChecks) + Buffer.byteLength(rewardComponents);
  const bytes = texts + namesBytes + scalarBytes(item);
  return { index, item, verdictChecks, rewardComponents, counts: countsOf(item), bytes };
}

function countsOf({ verdict_checks, reward_components }: EpisodeItem): Counts {
  const checks = { passed: 0, failed: 0, unknown: 0 };
  for (const verdict of Object.values(verdict_checks)) checks[verdict] += 1;
  return { checks, components: Object.keys(reward_components).length };
}

const names: readonly (keyof EpisodeItem)[] = [
  ...(['eval_run_id', 'env_pack_sha256', 'task_id', 'family', 'outcome'] as const),
  ...(['verdict_correct', 'verdict_checks', 'reward_components', 'aggregate_reward'] as const),
  ...(['wall_seconds', 'terminal_state_hash', 'ledger_uri', 'step_count'] as const),
];

/** Every name with its colon and a comma, but for the last one's, and the brackets. */
const namesBytes = names.reduce((sum, name) => sum + name.length + 4, 1);

function scalarBytes(item: EpisodeItem): number {
  const { eval_run_id, env_pack_sha256, outcome, verdict_correct, terminal_state_hash } = item;
  const fixed = eval_run_id.length + env_pack_sha256.length + outcome.length + 6;
  const hash = terminal_state_hash === null ? 4 : terminal_state_hash.length + 2;
  return (
    fixed +
    hash +
    (verdict_correct ? 4 : 5) +
    textBytes(item.task_id) +
    textBytes(item.family) +
    (item.ledger_uri === null ? 4 : textBytes(item.ledger_uri)) +
    numberBytes(item.aggregate_reward) +
    numberBytes(item.wall_seconds) +
    numberBytes(item.step_count)
  );
}

function numberBytes(value: number | null): number {
  return String(value).length;
}

/** Items of one run as its owner takes them. */
export function columnsOf(
  placed: readonly PlacedItem[],
  idOf: (taskId: string) => string,
): ResultColumns {
  const items = placed.map(({ item }) => item);
  const packs = items.map((item) => item.env_pack_sha256);
  const [pack = ''] = packs;
  return {
    envPackSha256: packs.every((other) => other === pack) ? pack : packs,
    taskId: items.map((item) => item.task_id),
    episodeResultId: items.map((item) => idOf(item.task_id)),
    family: items.map((item) => item.family),
    outcome: items.map((item) => item.outcome),
    verdictCorrect: items.map((item) => item.verdict_correct),
    verdictChecks: placed.map(({ verdictChecks }) => verdictChecks),
    rewardComponents: placed.map(({ rewardComponents }) => rewardComponents),
    checksPassed: placed.map(({ counts }) => counts.checks.passed),
    checksFailed: placed.map(({ counts }) => counts.checks.failed),
    checksUnknown: placed.map(({ counts }) => counts.checks.unknown),
    componentCount: placed.map(({ counts }) => counts.components),
    rewardMicro: items.map((item) => item.aggregate_reward),
    wallSeconds: items.map((item) => item.wall_seconds),
    terminalStateHash: items.map((item) => item.terminal_state_hash),
    ledgerUri: items.map((item) => item.ledger_uri),
    stepCount: items.map((item) => item.step_count),
  };
}
