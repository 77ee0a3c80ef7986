import type { DurableMessage } from '../../../infra/ports/bus.ts';

interface Seen {
  readonly message: DurableMessage;
  /** The domain's clock. */
  readonly atMs: number;
}

interface Stream {
  store(message: DurableMessage): boolean;
}

/** As the real streams: what is older has left them, and its proof may have left the inbox. */
export const streamKeepsMs = 72 * 3_600_000;
/** Beyond any try of the sweeper: the transport must take a replayed message for a new one. */
const replayAttempt = 1_000_000;

/** Every message that the streams ever held, also those of a store that was deleted since. */
export class StreamWitness {
  readonly #seen: Seen[] = [];

  stored(message: DurableMessage, atMs: number): void {
    if (message.attempt < replayAttempt) this.#seen.push({ message, atMs });
  }

  /**
   * Offers all of it again in its order, as a stream would that is read from its first message: new
   * deliveries with new sequence numbers, of the same ids, headers and bodies. Answers how many.
   */
  replay(stream: Stream, nowMs: number): number {
    const held = this.#seen.filter(({ atMs }) => nowMs - atMs < streamKeepsMs);
    const taken = held.filter(({ message }) =>
      stream.store({ ...message, attempt: message.attempt + replayAttempt }),
    );
    return taken.length;
  }
}
