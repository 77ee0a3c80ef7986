import type { Clock } from '../../../infra/ports/clock.ts';
import { AnswerLimit } from '../../cli/client/answer-limit.ts';
import {
  AnswerTooLong,
  answerText,
  askCompletion,
  bestModel,
  isOutage,
  type ModelToken,
} from './model-service.ts';

/** Half of what a task has: a provider that works says one word much sooner. */
const trialMs = 30_000;

export interface Trial {
  readonly token: ModelToken | null;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Whether the provider fails whoever asks it, by a question that no agent chose: one token of the model that
 * it serves best. What an agent asks may be bound to fail (a model that is listed and cold, say), and it would
 * then make the tasks void that it cannot solve.
 */
export async function isProviderAway({ token, clock, signal }: Trial): Promise<boolean> {
  if (token === null) return false;
  const limit = new AnswerLimit(trialMs, clock);
  const ends = AbortSignal.any([signal, limit.signal]);
  try {
    const messages = [{ role: 'user', content: 'Say yes.' }];
    const model = await bestModel(token, ends);
    const answer = await askCompletion(token, { messages, model, max_tokens: 1 }, ends);
    return isOutage(answer.status, await bodyOf(answer));
  } catch {
    signal.throwIfAborted();
    return true;
  } finally {
    limit.end();
  }
}

/** Undefined for what is no JSON. A refusal without end is a refusal. */
async function bodyOf(answer: Response): Promise<unknown> {
  try {
    return jsonOf(await answerText(answer));
  } catch (error) {
    if (answer.ok || !(error instanceof AnswerTooLong)) throw error;
    return undefined;
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
