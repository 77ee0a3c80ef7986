import type { Usage } from '../../../actors/services/inference/messages.ts';
import {
  completionBytesMax,
  hasChoice,
  ProviderUnavailable,
  type UpstreamAnswer,
} from '../../../infra/ports/inference.ts';
import { parsedJson } from '../../../machines/parsed-json.ts';
import { PreparedAnswer } from '../prepared-answer.ts';
import type { InferenceRun } from '../reads/inference.ts';
import { StreamedAnswer } from '../streamed-answer.ts';
import { type Route, servedByNobody } from './choose-routes.ts';
import { tapEvents } from './event-stream.ts';
import { passRefusal } from './pass-refusal.ts';
import { type TokenUsage, usageOf } from './read-usage.ts';
import {
  forget,
  type SendDeps,
  type Sent,
  sendToProvider,
  unavailable,
} from './send-to-provider.ts';
import { over, type TimeLimit } from './time-limit.ts';
import { type CompletionBody, hidesUsage, upstreamText } from './upstream-body.ts';

/** One completion on its way, after everything that could refuse it without asking anybody. */
export interface Exchange {
  readonly evalRunId: string;
  readonly minerHotkey: string;
  readonly lent: InferenceRun['lent'];
  readonly body: CompletionBody;
  readonly routes: readonly [Route, ...Route[]];
  /** The id of a model that the body names beside its own. */
  readonly idOf: (model: string) => string;
  readonly gone: AbortSignal;
  readonly limit: TimeLimit;
  readonly firstByteMs: number;
  readonly nameOf: (route: Route) => string;
  /**
   * Heard once; later words are not. Resolves when the completion is counted; undefined is one that
   * was sent to nobody.
   */
  readonly finish: (usage: Omit<Usage, 'evalRunId'> | undefined) => Promise<void>;
}

/** The provider's answer, counted before it ends. */
export async function exchange(
  given: Exchange,
  deps: SendDeps,
): Promise<PreparedAnswer | StreamedAnswer> {
  let [route] = given.routes;
  let isSent = false;
  const count = (isFailure: boolean, usage: TokenUsage = noTokens) =>
    given.finish(
      isSent ? { ...route, ...usage, isFailure: isFailure && !given.gone.aborted } : undefined,
    );
  given.gone.addEventListener('abort', () => void count(false), { once: true });
  try {
    const served = await firstServed(given, deps, (asked) => {
      route = asked;
      isSent = true;
    });
    const from = given.nameOf(route);
    const { answer } = served;
    if (answer.status >= 300) {
      const refusal = await passRefusal(served, from);
      await count(true);
      return refusal;
    }
    if (!isStream(answer)) return await wholeAnswer(answer, from, count);
    return new StreamedAnswer({
      headers: {
        'Content-Type': 'text/event-stream',
        'X-Inference-Provider': from,
        // Common proxies would otherwise collect the chunks first.
        'X-Accel-Buffering': 'no',
      },
      chunks: countedEvents(answer, given, count),
    });
  } catch (error) {
    await count(true);
    throw error instanceof ProviderUnavailable ? unavailable('The provider broke off.') : error;
  }
}

type Count = (isFailure: boolean, usage?: TokenUsage) => Promise<void>;

const noTokens: TokenUsage = { promptTokens: 0, completionTokens: 0 };

/** A provider that has no such model has dropped it since it was last looked at. */
async function firstServed(
  given: Exchange,
  deps: SendDeps,
  onSent: (route: Route) => void,
): Promise<Sent> {
  const { evalRunId, minerHotkey, lent, body, limit, gone } = given;
  for (const route of given.routes) {
    const begun = new AbortController();
    // What comes in one piece comes late.
    if (body.stream === true) limit.start(given.firstByteMs, begun.signal);
    const text = upstreamText(body, route.modelId, given.idOf);
    const about = { evalRunId, minerHotkey, lent, route, body: text, signal: limit.signal, gone };
    const sending = { ...about, onSent: () => onSent(route) };
    const sent = await sendToProvider(sending, deps);
    begun.abort(over);
    if (sent.answer.status !== 404) return sent;
    await forget(sent.answer);
  }
  throw servedByNobody();
}

function isStream({ contentType }: UpstreamAnswer): boolean {
  return /^text\/event-stream\b/i.test(contentType);
}

async function wholeAnswer(
  answer: UpstreamAnswer,
  from: string,
  count: Count,
): Promise<PreparedAnswer> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of answer.body) {
    sizeBytes += chunk.length;
    if (sizeBytes > completionBytesMax)
      throw unavailable('The provider answers beyond all measure.');
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  const parsed = parsedJson(body.toString('utf8'));
  if (parsed === undefined) throw unavailable('The provider answers no JSON.');
  const isFailure = !hasChoice(parsed);
  // Whoever answers nothing may bill it all the same.
  await count(isFailure, usageOf(parsed));
  if (isFailure) throw unavailable('The provider answers without a choice.');
  return new PreparedAnswer({ body, headers: { 'X-Inference-Provider': from } });
}

async function* countedEvents(
  answer: UpstreamAnswer,
  { body }: Exchange,
  count: Count,
): AsyncGenerator<Uint8Array> {
  let usage = noTokens;
  let isWhole = false;
  try {
    const onUsage = (seen: TokenUsage) => {
      usage = seen;
    };
    yield* tapEvents(answer.body, { hidesUsage: hidesUsage(body), onUsage });
    isWhole = true;
  } finally {
    await count(!isWhole, usage);
  }
}
