import type { WireReply } from '../../infra/ports/bus.ts';
import { isFinal } from './answers.ts';

/** A repeat within seconds is the common one (a lost answer); older ones are found in the inbox. */
const repliesMax = 512;

/** The last answers of one partition by command id. Refusals are forgotten: state may change. */
export class RecentReplies {
  readonly #replies = new Map<string, WireReply>();

  get(commandId: string): WireReply | undefined {
    return this.#replies.get(commandId);
  }

  remember(commandId: string, reply: WireReply): void {
    if (reply.kind !== 'ok' || !isFinal(reply)) return;
    this.#replies.set(commandId, reply);
    if (this.#replies.size <= repliesMax) return;
    const [oldest] = this.#replies.keys();
    if (oldest !== undefined) this.#replies.delete(oldest);
  }
}
