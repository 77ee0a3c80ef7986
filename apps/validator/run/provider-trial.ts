import type { Clock } from '../../../infra/ports/clock.ts';
import { parsedJson } from '../../../machines/parsed-json.ts';
import { AnswerLimit } from '../../cli/client/answer-limit.ts';
import type { ModelList } from './model-list.ts';
import {
  AnswerTooLong,
  answerText,
  askCompletion,
  isBroken,
  isOutage,
  isTurnedAway,
  retryAfterSeconds,
} from './model-service.ts';

/** Half of what a task has: a provider that works says one word much sooner, and a service what there is. */
const trialMs = 30_000;

export interface Trial {
  readonly models: ModelList | null;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Whether the provider fails whoever asks it, by a question that no agent chose: one token of the model that
 * it serves best. What an agent asks may be bound to fail (a model that is listed and cold, say), and it would
 * then make the tasks void that it cannot solve. Where the service does not say which model that is, nobody
 * asks the provider, and nothing is known of it.
 */
export async function isProviderAway({ models, clock, signal }: Trial): Promise<boolean> {
  if (models === null) return false;
  const inTime = <T>(ask: (ends: AbortSignal) => Promise<T>) => withinTrial(ask, { clock, signal });
  models.doubt();
  const model = await inTime((ends) => models.best(ends)).catch(() => undefined);
  signal.throwIfAborted();
  if (model === undefined) return false;
  try {
    const messages = [{ role: 'user', content: 'Say yes.' }];
    return await inTime(async (ends) => {
      for (let attempts = 0; ; attempts++) {
        const sinceMs = clock.monotonicMs();
        const answer = await askCompletion(models.token, { messages, model, max_tokens: 1 }, ends);
        const body = await bodyOf(answer);
        const isOurs = isTurnedAway(answer.status, body);
        const wishSeconds = retryAfterSeconds(answer);
        if (isOurs && (await models.pause(attempts, { sinceMs, wishSeconds }, ends))) continue;
        return isOutage(answer.status, body) || isBroken(answer, body);
      }
    });
  } catch {
    signal.throwIfAborted();
    return true;
  }
}

async function withinTrial<T>(
  ask: (ends: AbortSignal) => Promise<T>,
  { clock, signal }: Pick<Trial, 'clock' | 'signal'>,
): Promise<T> {
  const limit = new AnswerLimit(trialMs, clock);
  try {
    return await ask(AbortSignal.any([signal, limit.signal]));
  } finally {
    limit.end();
  }
}

/** Undefined for what is no JSON. A refusal without end is a refusal. */
async function bodyOf(answer: Response): Promise<unknown> {
  try {
    return parsedJson(await answerText(answer));
  } catch (error) {
    if (answer.ok || !(error instanceof AnswerTooLong)) throw error;
    return undefined;
  }
}
