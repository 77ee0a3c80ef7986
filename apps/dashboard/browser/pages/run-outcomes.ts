import type { EvaluationRunDetail } from '../../../cli/client/schemas.generated.ts';

export type RunItem = EvaluationRunDetail['items']['items'][number];

const meanings: Readonly<Record<string, string>> = {
  agent_error: 'The agent itself failed',
  environment_error: 'The environment failed; nobody is to blame',
  verifier_error: 'The verifier failed; nobody is to blame',
  leakage: 'The agent got at what it must not see',
  exploit: 'The agent worked around the task',
  partial: 'The agent got only part of the way',
  FAILED: 'The agent itself failed',
  TIMED_OUT: 'The time was up',
  SKIPPED: 'It was skipped',
};

/** Why an item came to nothing, in words; undefined where it passed. */
export function failureOf(item: Pick<RunItem, 'check_summary' | 'status' | 'verdict_status'>) {
  if (item.verdict_status === 'passed') return undefined;
  const { failed } = item.check_summary;
  const meaning = meanings[item.status];
  if (meaning !== undefined) return meaning;
  if (failed > 0) return `It finished, but ${failed} ${failed === 1 ? 'check' : 'checks'} failed`;
  return item.verdict_status === 'unknown' ? 'No verdict was reached' : 'Its answer was wrong';
}

/** The same task in two runs; one of them may not have it. */
export interface ItemPair {
  readonly id: string;
  readonly mine: RunItem | undefined;
  readonly other: RunItem | undefined;
}

export function pairsOf(mine: readonly RunItem[], other: readonly RunItem[]): readonly ItemPair[] {
  const byId = new Map(other.map((item) => [item.item_id, item]));
  const known = new Set(mine.map((item) => item.item_id));
  return [
    ...mine.map((item) => ({ id: item.item_id, mine: item, other: byId.get(item.item_id) })),
    ...other
      .filter((item) => !known.has(item.item_id))
      .map((item) => ({ id: item.item_id, mine: undefined, other: item })),
  ];
}

/** Whether two validators came to different verdicts or rewards. */
export function isApart({ mine, other }: ItemPair): boolean {
  return mine?.verdict_status !== other?.verdict_status || mine?.score !== other?.score;
}
