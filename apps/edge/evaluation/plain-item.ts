import { episodeOutcomes } from '../../../machines/types.ts';
import { sha256Text } from '../wire/hash.ts';
import { uuidText } from '../wire/uuid.ts';
import {
  type EpisodeItem,
  microOfReward,
  nameLengthMax,
  stepsMax,
  uriLengthMax,
  verdicts,
} from './episode-item.ts';

type Raw = Readonly<Record<keyof EpisodeItem, unknown>>;

const outcomes: ReadonlySet<unknown> = new Set(episodeOutcomes);
const verdictTexts: ReadonlySet<unknown> = new Set(verdicts);

/**
 * What `episodeItem` makes of an item, where nothing is wrong with it at first sight: a batch brings
 * hundreds, and the schema takes ten times as long for each. Undefined where the schema is to judge.
 */
export function plainItem(given: unknown): EpisodeItem | undefined {
  if (!isRecord(given)) return undefined;
  const raw = given as Raw;
  const reward = rewardOf(raw.aggregate_reward);
  if (reward === undefined || !hasPlainTexts(raw) || !hasPlainMeasures(raw)) return undefined;
  if (!isPlainRecord(raw.verdict_checks, (value) => verdictTexts.has(value))) return undefined;
  if (!isPlainRecord(raw.reward_components, () => true)) return undefined;
  const { eval_run_id, env_pack_sha256, task_id, family, outcome, verdict_correct } = raw;
  const { verdict_checks, reward_components, wall_seconds, terminal_state_hash } = raw;
  // Sound because each of them was looked at.
  return {
    eval_run_id: (eval_run_id as string).toLowerCase(),
    ...{ env_pack_sha256, task_id, family, outcome, verdict_correct, verdict_checks },
    ...{ reward_components, wall_seconds, terminal_state_hash },
    aggregate_reward: reward,
    ledger_uri: raw.ledger_uri,
    step_count: raw.step_count,
  } as EpisodeItem;
}

function hasPlainTexts(raw: Raw): boolean {
  return (
    isText(raw.eval_run_id, uuidText) &&
    isText(raw.env_pack_sha256, sha256Text) &&
    isName(raw.task_id) &&
    isName(raw.family) &&
    outcomes.has(raw.outcome) &&
    (raw.terminal_state_hash === null || isText(raw.terminal_state_hash, sha256Text)) &&
    (raw.ledger_uri === null ||
      (typeof raw.ledger_uri === 'string' && raw.ledger_uri.length <= uriLengthMax))
  );
}

function hasPlainMeasures({ verdict_correct, wall_seconds, step_count }: Raw): boolean {
  return (
    typeof verdict_correct === 'boolean' &&
    (wall_seconds === null || (Number.isFinite(wall_seconds) && (wall_seconds as number) >= 0)) &&
    Number.isInteger(step_count) &&
    (step_count as number) >= 0 &&
    (step_count as number) <= stepsMax
  );
}

function rewardOf(given: unknown): number | null | undefined {
  if (given === null) return null;
  return typeof given === 'string' || typeof given === 'number' ? microOfReward(given) : undefined;
}

function isText(value: unknown, pattern: RegExp): boolean {
  return typeof value === 'string' && pattern.test(value);
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && value.length > 0 && value.length <= nameLengthMax;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Of JSON, so without names of a prototype; the schema drops one that is called like it. */
function isPlainRecord(value: unknown, isMeant: (inner: unknown) => boolean): boolean {
  if (!isRecord(value)) return false;
  for (const name in value) {
    if (name.length > nameLengthMax || name === '__proto__' || !isMeant(value[name])) return false;
  }
  return true;
}
