import type { ServerResponse } from 'node:http';
import { refusal } from '../../machines/refusal.ts';
import { sendFault } from './answer.ts';

/** Answered in the place of their handlers, which go on for nobody. */
const givenUp = new WeakSet<ServerResponse>();

export function isGivenUp(response: ServerResponse): boolean {
  return givenUp.has(response);
}

/**
 * The answer of an edge that may not wait for the right one: a client that is cut off cannot tell
 * whether it was heard. Nothing is done of what has not come whole, so that goes without.
 */
export function giveUp(response: ServerResponse): void {
  if (response.headersSent || response.destroyed || !response.req.complete) return;
  givenUp.add(response);
  response.shouldKeepAlive = false;
  const { method } = response.req;
  // Reads describe no other refusal that fits, and leave nothing behind of which one could be unsure.
  sendFault(response, method === 'GET' || method === 'HEAD' ? stopping : unfinished);
}

const says = 'The process that heard this request stops before it is through.';
const stopping = refusal('OVERLOADED', { says });
const unfinished = refusal('OUTCOME_UNKNOWN', { says });
