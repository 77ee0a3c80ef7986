import type { PreparedAnswer } from './prepared-answer.ts';
import type { StreamedAnswer } from './streamed-answer.ts';

/**
 * An answer that waits long for somebody else: asked for when the request has left the count of what
 * is in flight, which is for work of ours. Whoever gives one bounds how many there are.
 */
export class AwaitedAnswer {
  readonly settle: () => Promise<PreparedAnswer | StreamedAnswer>;

  constructor(settle: () => Promise<PreparedAnswer | StreamedAnswer>) {
    this.settle = settle;
  }
}
