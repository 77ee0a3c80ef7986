import { parsedJson } from '../../../machines/parsed-json.ts';
import { eventEnds } from './event-ends.ts';
import { fieldOf, type TokenUsage, usageOf } from './read-usage.ts';

export interface EventTap {
  /** The client did not ask for the usage: the event that brings nothing else is left out. */
  readonly hidesUsage: boolean;
  readonly onUsage: (usage: TokenUsage) => void;
}

/** An event beyond this goes on unread. */
const eventBytesMax = 1024 * 1024;

/**
 * Passes server-sent events on as they are, each as soon as it is whole, and reads the usage that
 * goes by.
 */
export async function* tapEvents(
  chunks: AsyncIterable<Uint8Array>,
  tap: EventTap,
): AsyncGenerator<Uint8Array> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk]);
    const { whole, open } = splitEvents(bytes, rest.length);
    const passed = whole.filter((event) => passes(event, tap));
    if (passed.length > 0) yield passed.length === 1 ? firstOf(passed) : Buffer.concat(passed);
    rest = open;
    if (rest.length > eventBytesMax) {
      yield rest;
      rest = Buffer.alloc(0);
    }
  }
  if (rest.length > 0 && passes(rest, tap)) yield rest;
}

function firstOf(events: readonly Buffer[]): Buffer {
  return events[0] ?? Buffer.alloc(0);
}

function splitEvents(
  bytes: Buffer,
  knownBytes: number,
): { readonly whole: readonly Buffer[]; readonly open: Buffer } {
  const whole: Buffer[] = [];
  let start = 0;
  for (const end of eventEnds({ bytes, knownBytes })) {
    whole.push(bytes.subarray(start, end));
    start = end;
  }
  return { whole, open: bytes.subarray(start) };
}

function passes(event: Buffer, { hidesUsage, onUsage }: EventTap): boolean {
  // Most events hold words alone; those are not parsed.
  if (!event.includes('"usage"')) return true;
  const data = parsedJson(dataOf(event.toString('utf8')));
  const usage = usageOf(data);
  if (usage === undefined) return true;
  onUsage(usage);
  const choices = fieldOf(data, 'choices');
  return !(hidesUsage && Array.isArray(choices) && choices.length === 0);
}

function dataOf(event: string): string {
  return event
    .split(/\r\n|\n|\r/)
    .flatMap((line) => (line.startsWith('data:') ? [line.slice('data:'.length)] : []))
    .join('\n');
}
