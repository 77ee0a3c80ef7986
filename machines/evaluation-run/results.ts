import type { EpisodeOutcome } from '../types.ts';
import { emptyTally, type Tally } from './facts.ts';

/** What judging a result needs of it. */
export interface EpisodeClaim {
  readonly envPackSha256: string;
  readonly taskId: string;
  readonly family: string;
  readonly outcome: EpisodeOutcome;
  readonly verdictCorrect: boolean;
  readonly rewardMicro: number | null;
  readonly terminalStateHash: string | null;
  readonly ledgerUri: string | null;
}

export interface ResultRules {
  readonly envPackSha256: string | null;
  /** Family by task id. */
  readonly families: ReadonlyMap<string, string>;
  readonly storedTaskIds: ReadonlySet<string>;
  readonly presignedSha256: Pick<ReadonlySet<string>, 'has'>;
  readonly artifactUriPrefix: string;
}

export type Judgement = { readonly status: 201 | 409 | 422; readonly error: string | null };

/** The contract's checks of one result, in the contract's order; of the shape the edge took care. */
export function judgeResult(result: EpisodeClaim, rules: ResultRules): Judgement {
  const error = foreign(result, rules) ?? brokenRule(result, rules);
  if (error !== undefined) return { status: 422, error };
  if (rules.storedTaskIds.has(result.taskId)) {
    return { status: 409, error: 'a result of this task is already stored' };
  }
  return { status: 201, error: null };
}

export function tallyOf(
  results: Iterable<Pick<EpisodeClaim, 'outcome' | 'rewardMicro' | 'verdictCorrect'>>,
): Tally {
  const total = { ...emptyTally };
  for (const result of results) {
    total.items += 1;
    total.rewardMicro += result.verdictCorrect ? (result.rewardMicro ?? 0) : 0;
    total.broken +=
      result.outcome === 'environment_error' || result.outcome === 'verifier_error' ? 1 : 0;
    total.integrity += result.outcome === 'leakage' || result.outcome === 'exploit' ? 1 : 0;
  }
  return total;
}

function foreign(result: EpisodeClaim, rules: ResultRules): string | undefined {
  if (result.envPackSha256 !== rules.envPackSha256) return 'env_pack_sha256 is not of this run';
  const family = rules.families.get(result.taskId);
  if (family === undefined) return 'task_id is not of this run';
  return family === result.family ? undefined : 'family is not of this task';
}

function brokenRule(result: EpisodeClaim, rules: ResultRules): string | undefined {
  const isError = result.outcome.endsWith('_error');
  if (result.rewardMicro !== null && !result.verdictCorrect) {
    return 'aggregate_reward needs verdict_correct';
  }
  if (isError && result.verdictCorrect) return 'an episode that broke cannot be correct';
  if (isError && result.terminalStateHash !== null) {
    return 'an episode that broke has no terminal_state_hash';
  }
  if (!isError && result.terminalStateHash === null) return 'terminal_state_hash is missing';
  return result.ledgerUri === null || isPresigned(result.ledgerUri, rules)
    ? undefined
    : 'ledger_uri was not presigned for this run';
}

function isPresigned(uri: string, { artifactUriPrefix, presignedSha256 }: ResultRules): boolean {
  return (
    uri.startsWith(artifactUriPrefix) && presignedSha256.has(uri.slice(artifactUriPrefix.length))
  );
}
