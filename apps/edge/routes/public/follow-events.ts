import { z } from 'zod';
import { endpoint, type RequestContext } from '../../endpoint.ts';
import type { FeedListener } from '../../feed/public-feed.ts';
import { PreparedAnswer } from '../../prepared-answer.ts';
import { StreamedAnswer } from '../../streamed-answer.ts';
import { parsePart } from '../../validation.ts';
import { integerText } from '../../wire/integer.ts';
import { publicEventOut } from '../../wire/public-event.ts';

const cursor = integerText({ min: 0, max: Number.MAX_SAFE_INTEGER });

const headers = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  // Neither kept nor packed by anybody on the way: a packer would hold events back.
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
};

export const followEvents = endpoint({
  method: 'get',
  path: '/v1/public/events',
  role: 'public',
  owner: 'nobody',
  summary:
    'The public feed as server-sent events, gap-free from `Last-Event-ID` or else from `cursor` on ' +
    '(0: from the beginning), and without either from now on; `heartbeat`, which has no id, is no ' +
    'event: a stream begins with one, and a quiet one sends one every 15 seconds',
  trafficClass: 2,
  query: z.object({ cursor: cursor.optional() }),
  requestHeaders: z.object({ 'Last-Event-ID': cursor.optional() }),
  response: publicEventOut,
  responseMediaType: 'text/event-stream',
  faults: ['RATE_LIMITED', 'OVERLOADED', 'STORE_UNAVAILABLE', 'READ_ONLY'],

  async handle({ query, context }, { feed }) {
    const start = { ...startOf(context, query.cursor), address: context.remoteAddress };
    if (context.stream.method === 'HEAD') return new PreparedAnswer({ headers });
    const chunks = await feed.open(start, listenerOf(context));
    return new StreamedAnswer({ headers, chunks, isResumable: true });
  },
});

/** The header first: browsers that come back send it with the address they once began at. */
function startOf({ headers: given }: RequestContext, fromQuery: number | undefined) {
  const lastEventId = given['last-event-id'];
  if (lastEventId === undefined || lastEventId === '') {
    return { cursor: fromQuery, loc: ['query', 'cursor'] };
  }
  const schema = z.object({ 'last-event-id': cursor });
  const parsed = parsePart(schema, { 'last-event-id': lastEventId }, 'header');
  return { cursor: parsed['last-event-id'], loc: ['header', 'last-event-id'] };
}

function listenerOf({ signal, stream }: RequestContext): FeedListener {
  return {
    gone: signal,
    onClose: (close) => {
      if (stream.socket.destroyed) close();
      else stream.socket.once('close', close);
    },
  };
}
