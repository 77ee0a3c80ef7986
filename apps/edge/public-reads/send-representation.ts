import type { ServerResponse } from 'node:http';
import { sendBody, setHeaders } from '../answer.ts';
import { isAnonymous } from '../prove-caller.ts';
import { type Coding, chosenCoding } from './content-coding.ts';
import { isKnownTag } from './entity-tag.ts';
import type { LargeAnswers } from './large-answers.ts';
import type { Representation } from './representation.ts';

/** How long a public answer may be shown without asking again. */
export interface CachePolicy {
  readonly maxAgeSeconds: number;
  /** After that, how long it may be shown while a new one is fetched. */
  readonly staleSeconds: number;
}

/** What the next result may change: a person who looks again sees it. */
export const liveRead: CachePolicy = { maxAgeSeconds: 2, staleSeconds: 10 };

/** What only a release of this service changes. */
export const stablePage: CachePolicy = { maxAgeSeconds: 60, staleSeconds: 600 };

/**
 * Sends it in the coding that the client likes best, or 304 to who has it. Answers to credentials
 * are kept by nobody, though a public route tells everybody the same. Undefined where it is sent.
 * @throws OVERLOADED when too much that is large is read slowly or made smaller
 */
export function sendRepresentation(
  response: ServerResponse,
  shown: Representation,
  policy: CachePolicy,
  large: LargeAnswers,
): Promise<void> | undefined {
  const { headers } = response.req;
  const isKnown = isAnonymous(headers) && isKnownTag(headers['if-none-match'], shown.tag);
  const coding = chosenCoding(headers['accept-encoding'], shown.isWorthCompressing);
  const answer = { shown, policy, isKnown, coding, large };
  if (!isKnown && coding !== 'identity') {
    const compressed = large.compressing(response, shown.content, shown);
    return shown
      .in(coding)
      .then((body) => send(response, answer, body))
      .finally(compressed);
  }
  send(response, answer, shown.content);
  return undefined;
}

function send(
  response: ServerResponse,
  {
    shown,
    policy: { maxAgeSeconds, staleSeconds },
    isKnown,
    coding,
    large,
  }: {
    readonly shown: Representation;
    readonly policy: CachePolicy;
    readonly isKnown: boolean;
    readonly coding: Coding;
    readonly large: LargeAnswers;
  },
  body: Buffer | string,
): void {
  if (response.headersSent || response.destroyed) return;
  // Compressed, only those bytes: they are what is counted, and the content may be much larger.
  if (!isKnown) large.hold(response, body, body === shown.content ? shown : undefined);
  const mayBeKept = isAnonymous(response.req.headers);
  setHeaders(response, shown.headers);
  const lines = ['Vary', 'Accept-Encoding'];
  const freshness = `max-age=${maxAgeSeconds}, stale-while-revalidate=${staleSeconds}`;
  const head = mayBeKept ? { lines, cacheControl: `public, ${freshness}` } : { lines };
  if (mayBeKept) lines.push('ETag', shown.tag);
  if (isKnown) {
    response.removeHeader('Content-Type');
    sendBody(response, 304, undefined, head);
    return;
  }
  if (coding !== 'identity') lines.push('Content-Encoding', coding);
  sendBody(response, 200, body, head);
}
