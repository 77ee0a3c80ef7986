import type { HttpAnswer } from '../../../apps/world/participants/http-exchange.ts';
import { Refused } from '../../../apps/world/participants/refusal.ts';
import { Unanswered } from '../../../apps/world/participants/retry.ts';
import {
  type Repeat,
  type SignedClient,
  signedClient,
} from '../../../apps/world/participants/signed-client.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import type { Keypair } from '../../../infra/crypto/sr25519-signer.ts';
import { encodeHotkey } from '../../../infra/crypto/ss58.ts';
import { readingOf, sentBy } from './answers.ts';
import { type Attempt, type History, nowMs } from './history.ts';

export interface RecordedClientOptions {
  readonly baseUrls: readonly string[];
  readonly keypair: Keypair;
  readonly scheme: 'session' | 'signed-headers';
  readonly history: History;
  /** Aborts when the end has come: nobody sends anything again. */
  readonly ending: AbortSignal;
  /** Else it comes again as soon as it can bear. */
  readonly heedsRetryAfter: boolean;
  /** Whether what a claim was answered never reaches this client: its line died, or it did. */
  readonly losesClaim?: () => boolean;
  /** From the first attempt on; whoever is not answered by then gives up. */
  readonly patienceMs: number;
}

const firstPauseMs = 100;
const pauseMaxMs = 500;
const retryAfterMaxMs = 2_000;

/** Everything it sends and is told is in the history, attempt by attempt. */
export function recordedClient(options: RecordedClientOptions): SignedClient {
  const { baseUrls, keypair, scheme, losesClaim = () => false } = options;
  const client = encodeHotkey(keypair.publicKey);
  const repeat: Repeat = async (ask, { method, path, content }) => {
    const sent = sentBy(path, content);
    const firstCallMs = nowMs();
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, pauseMaxMs)) {
      const attempt = sent && options.history.begin({ client, firstCallMs, sent });
      const askNoted = () =>
        ask((url) => {
          if (attempt !== undefined) attempt.door = new URL(url).origin;
        });
      const answer = await answerOf(askNoted, () => sent?.kind === 'claim' && losesClaim());
      if (attempt !== undefined) attempt.returnMs = nowMs();
      const defect = answer && writeDown(answer, attempt);
      if (defect !== undefined) options.history.defects.push(`${method} ${path} ${defect}`);
      if (answer !== undefined && answer.status < 500) return answer;
      const waitedMs = nowMs() - firstCallMs;
      if (waitedMs > options.patienceMs || options.ending.aborted) {
        throw new Unanswered(`${path} for ${Math.round(waitedMs)} ms`);
      }
      await systemClock.sleep(pauseBefore(answer, pauseMs, options), options.ending);
    }
  };
  return signedClient({ baseUrls, keypair, scheme, clock: systemClock, repeat });
}

/** Nothing when there was no answer, or when what was granted is lost on its way. */
async function answerOf(
  ask: () => Promise<HttpAnswer>,
  isLost: () => boolean,
): Promise<HttpAnswer | undefined> {
  try {
    const answer = await ask();
    return answer.status === 200 && isLost() ? undefined : answer;
  } catch (error) {
    if (error instanceof Refused) throw error;
    return undefined;
  }
}

/** What is wrong with the answer, if anything is. */
function writeDown(answer: HttpAnswer, attempt: Attempt | undefined): string | undefined {
  const { defect, ...read } = readingOf(attempt?.sent.kind, answer);
  if (attempt !== undefined) Object.assign(attempt, { ...read, status: answer.status });
  return defect;
}

function pauseBefore(
  answer: HttpAnswer | undefined,
  pauseMs: number,
  { heedsRetryAfter }: RecordedClientOptions,
): number {
  const seconds = Number(answer?.headers['retry-after']);
  if (heedsRetryAfter && seconds > 0) return Math.min(seconds * 1000, retryAfterMaxMs);
  // Not all in step.
  return pauseMs * (0.5 + Math.random() / 2);
}
