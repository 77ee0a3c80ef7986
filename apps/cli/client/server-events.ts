/** One event of a `text/event-stream`. */
export interface ServerEvent {
  /** `message` unless the service named it. */
  readonly event: string;
  readonly id: string | undefined;
  readonly data: string;
}

/**
 * Reads events as they come; comments, heartbeats and fields that are no data are passed over. `onId` hears
 * every id, once whoever takes the events is through with it: where to go on after a cut.
 */
export async function* serverEvents(
  chunks: AsyncIterable<Uint8Array>,
  onId?: (id: string) => void,
): AsyncGenerator<ServerEvent, void, undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split(/\r?\n\r?\n/);
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const { isEvent, ...event } = parsed(block);
      if (isEvent) yield event;
      if (event.id !== undefined) onId?.(event.id);
    }
  }
}

function parsed(block: string): ServerEvent & { readonly isEvent: boolean } {
  const fields = block.split(/\r?\n/).map((line) => /^(\w+): ?(.*)$/.exec(line));
  const all = (name: string) =>
    fields.flatMap((field) => (field?.[1] === name ? [field[2] ?? ''] : []));
  const data = all('data');
  const event = all('event').at(-1) ?? 'message';
  return {
    isEvent: data.length > 0 && event !== 'heartbeat',
    ...{ event, id: all('id').at(-1), data: data.join('\n') },
  };
}
