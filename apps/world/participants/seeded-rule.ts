import { createHash } from 'node:crypto';
import type { EpisodeOutcome } from '../../../machines/types.ts';

/** What a simulated validator reads in an agent's file instead of running it. */
export interface AgentTraits {
  readonly codeSha256: string;
  /** In [0, 1]: how carefully the agent shops. */
  readonly care: number;
  /** It ends before its first step. */
  readonly raisesAtStart: boolean;
}

export interface Trial {
  readonly seed: number;
  readonly agent: AgentTraits;
  readonly taskId: string;
  readonly validatorHotkey: string;
}

export interface SeededOutcome {
  readonly outcome: EpisodeOutcome;
  readonly isCorrect: boolean;
  /** Integer of 10^-6; null unless correct. */
  readonly rewardMicro: number | null;
  /** In [0, 1], two places. */
  readonly reasoning: number;
  readonly steps: number;
  readonly wallSeconds: number;
}

const care = /^CARE\s*(?::\s*float\s*)?=\s*([01](?:\.\d+)?)\s*(?:#.*)?$/m;
const raise = /^raise\b/m;
/** Of a file that does not say how careful it is, such as one that a person submits. */
const unknownCare = 0.5;

export function agentTraits(file: Uint8Array, codeSha256: string): AgentTraits {
  const text = Buffer.from(file).toString();
  const stated = Number(care.exec(text)?.[1] ?? unknownCare);
  return { codeSha256, care: Math.min(1, stated), raisesAtStart: raise.test(text) };
}

// Chosen so that a careful agent (0.95) scores about 0.7 and a hasty one (0.35) about 0.25.
const hardestTaskCost = 0.3;
// Hard tasks are hard for everybody, so that care decides the order; agents differ by this much.
const agentShare = 0.2;
const rewardMin = 0.7;
// Validators agree on most tasks and differ by a few hundredths in the rest.
const disagreement = 0.06;
const environmentErrorShare = 0.01;

/**
 * Decides one task by hashes alone: the task and the agent fix most of it, the validator moves a
 * little, as model sampling does in a real sandbox. The same trial always ends the same.
 */
export function tryTask({ seed, agent, taskId, validatorHotkey }: Trial): SeededOutcome {
  const [hardness = 0, luck = 0] = draws(`${seed}/${taskId}`);
  const [skill = 0, quality = 0, style = 0] = draws(`${seed}/${taskId}/${agent.codeSha256}`);
  const own = draws(`${seed}/${taskId}/${agent.codeSha256}/${validatorHotkey}`);
  const [mood = 0, taste = 0, mishap = 0, pace = 0] = own;
  const steps = 3 + Math.floor(style * 12);
  const wallSeconds = Math.round((steps * 1.5 + pace * 8) * 100) / 100;
  const reasoning = Math.round(Math.min(1, 0.35 + agent.care * 0.5 + taste * 0.15) * 100) / 100;
  const chance = agent.care * (1 - hardestTaskCost * hardness);
  const isCorrect = luck + (skill - 0.5) * agentShare + (mood - 0.5) * disagreement < chance;
  if (mishap < environmentErrorShare) {
    const outcome = 'environment_error';
    return { outcome, isCorrect: false, rewardMicro: null, reasoning, steps: 0, wallSeconds };
  }
  if (!isCorrect) {
    const outcome = failedOutcome(style);
    return { outcome, isCorrect, rewardMicro: null, reasoning, steps, wallSeconds };
  }
  const reward = rewardMin + (1 - rewardMin) * quality + (taste - 0.5) * disagreement;
  const rewardMicro = Math.round(Math.min(1, reward) * 1_000_000);
  return { outcome: 'completed', isCorrect, rewardMicro, reasoning, steps, wallSeconds };
}

function failedOutcome(style: number): EpisodeOutcome {
  if (style < 0.15) return 'agent_error';
  return style < 0.5 ? 'partial' : 'completed';
}

/** Four numbers in [0, 1) that follow from a text. */
function draws(text: string): readonly number[] {
  const digest = createHash('sha256').update(text).digest();
  return [0, 4, 8, 12].map((offset) => digest.readUInt32BE(offset) / 2 ** 32);
}
