import { type PublicEvent, publicEvent } from '../../machines/feed/public-event.ts';

export interface EventStream {
  readonly status: number;
  readonly headers: Headers;
  /** Of each event the three lines that it came in. */
  readonly events: readonly ReceivedEvent[];
  /** Everything as it came. */
  text(): string;
  /** What a client would send as Last-Event-ID. */
  lastId(): string | undefined;
  /** Resolves when the stream has ended, by whomever. */
  readonly ended: Promise<void>;
  close(): void;
}

export interface ReceivedEvent {
  readonly id: string;
  readonly name: string;
  readonly data: PublicEvent;
}

/**
 * Follows a stream of server-sent events as the living standard says; every event is checked.
 *
 * @param cutAfter reads so many characters and not one more, wherever that is in a line
 */
export async function followStream(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  cutAfter = Number.POSITIVE_INFINITY,
): Promise<EventStream> {
  const stop = new AbortController();
  const response = await fetch(url, { headers, signal: stop.signal });
  const events: ReceivedEvent[] = [];
  let text = '';
  let lastId: string | undefined;
  const take = (block: string) => {
    const fields = new Map<string, string>();
    for (const line of block.split('\n')) {
      const [, name = '', value = ''] = /^([a-z]*): ?(.*)$/.exec(line) ?? [];
      if (name !== '') fields.set(name, value);
    }
    lastId = fields.get('id') ?? lastId;
    const data = fields.get('data');
    if (data === undefined || fields.get('event') === 'heartbeat') return;
    const event = publicEvent.parse(JSON.parse(data));
    events.push({ id: lastId ?? '', name: fields.get('event') ?? '', data: event });
  };
  const read = async () => {
    let rest = '';
    const decoder = new TextDecoder();
    try {
      for await (const chunk of response.body ?? []) {
        const room = cutAfter - text.length;
        const piece = decoder.decode(chunk, { stream: true }).slice(0, room);
        text += piece;
        const blocks = (rest + piece).split('\n\n');
        rest = blocks.pop() ?? '';
        for (const block of blocks) take(block);
        if (text.length >= cutAfter) break;
      }
    } catch (error) {
      if (!(error instanceof Error) || !/abort|terminated/i.test(error.message)) throw error;
    }
  };
  return {
    status: response.status,
    headers: response.headers,
    events,
    text: () => text,
    lastId: () => lastId,
    ended: read(),
    close: () => stop.abort(),
  };
}
