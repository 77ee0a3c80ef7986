import { z } from 'zod';
import type { Clock } from '../../../infra/ports/clock.ts';
import type { OperatorClient } from '../operator-client.ts';

const clockAnswer = z.object({ now: z.iso.datetime() });

/** The service's simulated clock, as those see it who sign their requests by it. */
export class SimulatedTime {
  readonly #operator: OperatorClient;
  readonly #host: Clock;
  #offsetMs = 0;

  constructor(operator: OperatorClient, host: Clock) {
    this.#operator = operator;
    this.#host = host;
  }

  /** Of participants: sleeps in real time, tells simulated time. */
  get clock(): Clock {
    const { nowMs: _hostNow, ...timers } = this.#host;
    return { ...timers, nowMs: () => this.nowMs() };
  }

  nowMs(): number {
    return this.#host.nowMs() + this.#offsetMs;
  }

  async read(): Promise<void> {
    this.#follow(await this.#operator.get('/v1/admin/clock'));
  }

  /** Everything that falls due on the way has been done when this resolves. */
  async advanceTo(instantMs: number): Promise<void> {
    const seconds = Math.ceil((instantMs - this.nowMs()) / 1000);
    if (seconds < 1) return;
    this.#follow(await this.#operator.send('POST', '/v1/admin/clock/advance', { seconds }));
  }

  #follow(answer: unknown): void {
    this.#offsetMs = Date.parse(clockAnswer.parse(answer).now) - this.#host.nowMs();
  }
}
