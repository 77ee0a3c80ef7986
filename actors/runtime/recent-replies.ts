import type { WireReply } from '../../infra/ports/bus.ts';
import { isFinal } from './answers.ts';

/**
 * A repeat within seconds is the common one (a lost answer); older ones are found in the inbox.
 * Bounded by the bytes of the requests, which an answer follows in size: a process may serve 64
 * partitions, and the answer to a batch of results weighs as much as a thousand others.
 */
const bytesMax = 128 * 1024;
/** What the smallest answer takes with all that it hangs on. */
const bytesMin = 512;

/**
 * The last answers of one partition, by the id of a command that changed something. Refusals are forgotten, and so
 * is that there was nothing to do: state may change.
 */
export class RecentReplies {
  readonly #replies = new Map<string, { readonly reply: WireReply; readonly bytes: number }>();
  #bytes = 0;

  get(commandId: string): WireReply | undefined {
    return this.#replies.get(commandId)?.reply;
  }

  remember(commandId: string, reply: WireReply, requestBytes: number): void {
    if (reply.kind !== 'ok' || !isFinal(reply)) return;
    this.#forget(commandId);
    const bytes = Math.max(requestBytes, bytesMin);
    this.#replies.set(commandId, { reply, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#replies.keys()) {
      if (this.#bytes <= bytesMax) return;
      this.#forget(oldest);
    }
  }

  #forget(commandId: string): void {
    this.#bytes -= this.#replies.get(commandId)?.bytes ?? 0;
    this.#replies.delete(commandId);
  }
}
