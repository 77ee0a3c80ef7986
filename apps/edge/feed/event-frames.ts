import { eventText, type StoredEvent } from '../../../machines/feed/public-event.ts';

/** Clients come back this long after their stream ended. */
const retryMs = 2_000;

/** Bytes on the wire that end at an event. */
export interface Frame {
  readonly cursor: number;
  readonly text: string;
}

export function frameOf(event: StoredEvent): Frame {
  const { cursor, type } = event;
  return { cursor, text: `id: ${cursor}\nevent: ${type}\ndata: ${eventText(event)}\n\n` };
}

/**
 * An `id` without data is no event, but clients remember it: one that is cut off before the first
 * event comes back to where it began. The heartbeat says that there will be more of them.
 */
export function openingText(cursor: number): string {
  return `retry: ${retryMs}\nid: ${cursor}\n\n${heartbeatText}`;
}

/**
 * Without it proxies and clients take a quiet stream for a dead one, or a dead one for quiet. No comment,
 * for a browser tells its page of none; without an id, for it is no event of the feed.
 */
export const heartbeatText = 'event: heartbeat\ndata: {}\n\n';
