import { z } from 'zod';
import type { Clock } from '../../../infra/ports/clock.ts';
import type { ToolAnswer } from '../sandbox/run-agent.ts';
import type { ModelList } from './model-list.ts';
import {
  AnswerTooLong,
  answerText,
  askCompletion,
  isBroken,
  isOutage,
  isTurnedAway,
  isUnreached,
  type ModelToken,
  retryAfterSeconds,
} from './model-service.ts';

/** Text of an agent as the service takes it: no NUL, and of half a surrogate pair what stands for it. */
const words = z
  .string()
  .refine((text) => !text.includes('\0'), 'no model is asked with a NUL')
  .transform((text) => text.toWellFormed());

/**
 * How long a question may be the channel says, for all calls (`lineLimits`). Lengths are looked at of texts and
 * lists alone: `min` and `max` compare the length of whatever has one, and that of an agent's object may throw.
 */
const asked = z.object({
  messages: z
    .array(z.unknown())
    .refine(({ length }) => length > 0, 'there are none')
    // All of the others are judged one by one, and a million numbers would take seconds.
    .refine((messages) => messages.every(isObject), 'each is to have a role and a content')
    .pipe(z.array(z.object({ role: words, content: words }))),
  model: z
    .string()
    .refine(({ length }) => length <= 200, 'more than 200 characters')
    .nullable()
    .default(null),
  max_tokens: z.int().min(1).max(8192),
});

type Question = z.infer<typeof asked>;

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

const completion = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string().nullish() }) })).min(1),
});

/**
 * What the service itself refuses of a question, by rules of its own. A provider's refusal has no `error_code`;
 * were these counted as failures, any agent could lay its own at a provider's door.
 */
const ours = z.object({
  error_code: z.enum([
    'BODY_TOO_LARGE',
    'MODEL_NOT_ALLOWED',
    'RATE_LIMITED',
    'SPEND_LIMIT_REACHED',
    'VALIDATION_FAILED',
  ]),
});

/** A provider that works writes no slower, so that to wait for all that was asked for is no silence. */
const tokensPerSecondMin = 20;

export interface ModelAccessOptions {
  /** Null where the miner has connected no provider. */
  readonly models: ModelList | null;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Of one task, from its start to its end. */
  readonly taskSeconds: number;
}

interface Said {
  readonly answer: Response;
  readonly body: unknown;
}

interface Waiting {
  readonly sinceMs: number;
  readonly maxTokens: number;
}

/**
 * The agent's only way to a language model: asked here, outside of the sandbox, with the run's token,
 * which the sandbox never sees. What goes wrong is told to the agent, but for what is the platform's, which is
 * thrown; what the provider did is counted, twice.
 *
 * 1. Failures are all that may be the provider's: whoever fails on each task is in doubt not blamed.
 * 2. What the service itself turns away is asked again, for as long as the run's patience reaches; so is what
 *    nobody listens to. The task's time stands still meanwhile.
 * 3. Outages are those that look like the provider's alone. What made them is the agent's question all the
 *    same, so that they make no task void by themselves (`isProviderAway`).
 */
export class ModelAccess {
  readonly #options: ModelAccessOptions;
  readonly #over = new AbortController();
  readonly #signal: AbortSignal;
  /** Questions that have no answer yet. */
  readonly #waiting = new Map<object, Waiting>();
  #failures = 0;
  #outages = 0;
  #hasDoubted = false;

  constructor(options: ModelAccessOptions) {
    this.#options = options;
    this.#signal = AbortSignal.any([options.signal, this.#over.signal]);
  }

  get failures(): number {
    return this.#failures;
  }

  get outages(): number {
    return this.#outages;
  }

  /**
   * The task is over, and whatever is still asked with it. Gives how many questions took half of the task and
   * have no answer: an agent that ended for want of time may have done so by these alone. Silent are those
   * to which the slowest provider would have had an answer.
   */
  end(): { readonly unanswered: number; readonly silent: number } {
    const { clock, taskSeconds } = this.#options;
    const nowMs = clock.monotonicMs();
    this.#over.abort();
    const unanswered = [...this.#waiting.values()].filter(
      ({ sinceMs }) => nowMs - sinceMs >= (taskSeconds * 1000) / 2,
    );
    const silent = unanswered.filter(
      ({ sinceMs, maxTokens }) => nowMs - sinceMs >= (maxTokens / tokensPerSecondMin) * 1000,
    );
    return { unanswered: unanswered.length, silent: silent.length };
  }

  /** @throws where the service does not say which models there are */
  async ask(given: unknown): Promise<ToolAnswer> {
    const { models } = this.#options;
    if (models === null) return { error: 'the miner has connected no provider of models' };
    const question = asked.safeParse(given);
    if (!question.success) return { error: sayIssue(question.error.issues[0]) };
    const { model } = question.data;
    if (model !== null) return await this.#askProvider(models, { ...question.data, model });
    const best = await models.best(this.#signal);
    const before = this.#failures;
    const answer = await this.#askBest(models, question.data, best);
    if (this.#failures > before && !this.#hasDoubted) {
      // Once for a task, however often it asks.
      this.#hasDoubted = true;
      models.doubt();
    }
    return answer;
  }

  async #askBest(models: ModelList, question: Question, model: string | undefined) {
    if (model !== undefined) return await this.#askProvider(models, { ...question, model });
    this.#failures += 1;
    return { error: 'the provider of models has none that agents may call' };
  }

  async #askProvider(models: ModelList, question: Question): Promise<ToolAnswer> {
    const { signal } = this.#options;
    try {
      const { answer, body } = await this.#untilPassedOn(models, question);
      if (!answer.ok) return this.#refused(answer.status, body);
      if (isBroken(answer, body)) this.#outages += 1;
      const said = completion.parse(body).choices[0]?.message.content ?? '';
      // Half of a surrogate pair would end an agent that prints what it is told.
      return { result: said.toWellFormed() };
    } catch (error) {
      signal.throwIfAborted();
      // Then the end of the task says whose failure it is.
      if (!this.#over.signal.aborted) this.#failures += 1;
      const did = error instanceof AnswerTooLong ? `answered ${error.message}` : 'did not answer';
      return { error: `the provider of models ${did}` };
    } finally {
      this.#waiting.delete(question);
    }
  }

  /** What came of it where somebody passed it on, or of the last try where nobody did. */
  async #untilPassedOn(models: ModelList, question: Question): Promise<Said> {
    for (let attempts = 0; ; attempts++) {
      // From here on, and not while it is turned away: until then nobody asked the provider.
      const waiting = {
        sinceMs: this.#options.clock.monotonicMs(),
        maxTokens: question.max_tokens,
      };
      this.#waiting.set(question, waiting);
      const said = await this.#send(models.token, question);
      const wishSeconds = said === undefined ? 0 : retryAfterSeconds(said.answer);
      if (said !== undefined && !isTurnedAway(said.answer.status, said.body)) return said;
      this.#waiting.delete(question);
      const { sinceMs } = waiting;
      if (await models.pause(attempts, { sinceMs, wishSeconds }, this.#signal)) continue;
      if (said !== undefined) return said;
      this.#outages += 1;
      throw new Error('nobody listens there');
    }
  }

  /** Undefined where nobody listens. */
  async #send(token: ModelToken, question: object): Promise<Said | undefined> {
    let answer: Response;
    try {
      answer = await askCompletion(token, question, this.#signal);
    } catch (error) {
      if (isUnreached(error)) return undefined;
      if (!this.#signal.aborted) this.#outages += 1;
      throw error;
    }
    return { answer, body: await this.#read(answer) };
  }

  /** Null for what is no JSON. Of a refusal that cannot be read the status says enough. */
  async #read(answer: Response): Promise<unknown> {
    try {
      return JSON.parse(await answerText(answer));
    } catch (error) {
      if (!(answer.ok && error instanceof AnswerTooLong)) return null;
      // As a service has it that finds one itself.
      this.#outages += 1;
      throw error;
    }
  }

  /** 429 and 5xx are the provider's; everything else, and our own limits, the agent has asked for. */
  #refused(status: number, body: unknown): ToolAnswer {
    const { data } = ours.safeParse(body);
    if (data !== undefined) return { error: `the service answered ${status} ${data.error_code}` };
    if (status === 429 || status >= 500) this.#failures += 1;
    if (isOutage(status, body)) this.#outages += 1;
    return { error: `the provider of models answered ${status}` };
  }
}

function sayIssue(issue: z.core.$ZodIssue | undefined): string {
  return `ask_model: ${issue?.path.join('.')}: ${issue?.message}`;
}
