import type { Caller, Endpoint } from '../../../apps/edge/endpoint.ts';
import { encodeHotkey } from '../../../infra/crypto/ss58.ts';
import type { Clock } from '../../../infra/ports/clock.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { Prng } from '../kernel/prng.ts';
import type { ClientHistory } from '../oracle/client-history.ts';
import type { CommitModel } from '../oracle/commit-model.ts';
import type { Violations } from '../oracle/violations.ts';
import type { Calibration } from '../report/calibration.ts';
import type { Counters } from '../report/counters.ts';
import type { SimAnswer } from '../service/sim-edge.ts';
import type { Asked, Http, Outcome } from './http.ts';
import { ownershipOf, publicKeyOf, type Role } from './ownership.ts';

export interface ParticipantDeps {
  readonly kernel: Kernel;
  /** Of the clients' machine, which is never wrong. */
  readonly clock: Clock;
  readonly http: Http;
  readonly history: ClientHistory;
  readonly model: CommitModel;
  readonly violations: Violations;
  readonly counters: Counters;
  readonly calibration: Calibration;
  /** Whether any fault was ever injected. */
  readonly wasDisturbed: () => boolean;
}

/** Somebody outside of the service, with a name and habits of his own. */
export class Participant {
  readonly deps: ParticipantDeps;
  readonly caller: Caller;
  readonly random: Prng;
  /** For what is seldom done. */
  readonly rare: Prng;

  constructor(deps: ParticipantDeps, role: Role, number: number) {
    this.deps = deps;
    const key = publicKeyOf(role, number);
    const name = role === 'operator' ? `operator-${number}` : encodeHotkey(key);
    const publicKeyHex = role === 'operator' ? '' : key.toString('hex');
    this.caller = { name, role, publicKeyHex, ...ownershipOf(role, number) };
    this.random = deps.kernel.randomFor(`${role} ${number}`);
    this.rare = deps.kernel.randomFor(`${role} ${number} seldom`);
  }

  get name(): string {
    return this.caller.name;
  }

  async sleep(minMs: number, maxMs = minMs): Promise<void> {
    await this.deps.clock.sleep(this.random.between(minMs, maxMs));
  }

  async send(endpoint: unknown, asked: Asked = {}): Promise<Outcome> {
    // Sound because every route is an endpoint; each has types of its own.
    const outcome = await this.deps.http.send(endpoint as Endpoint, this.caller, asked);
    const told = outcome.kind === 'answered' ? String(outcome.answer.status) : outcome.kind;
    this.deps.counters.add(`answer ${told}`);
    // What cannot be done now is a 503 with a code, whatever has failed.
    if (outcome.kind === 'answered' && outcome.answer.status === 500) {
      this.deps.violations.add('SIM', `a defect was answered: ${outcome.answer.text}`);
    }
    const isHeard = outcome.kind === 'answered' && outcome.answer.status < 500;
    if (!isHeard && !this.deps.wasDisturbed()) {
      this.deps.violations.add('SIM', `nothing has failed, and an answer was ${told}`);
    }
    return outcome;
  }

  /** Asks again where nothing was said, or nothing but that it should; undefined when never told. */
  async insist(endpoint: unknown, asked: Asked, triesMax = 12): Promise<SimAnswer | undefined> {
    for (let tries = 0; tries < triesMax; tries += 1) {
      const outcome = await this.send(endpoint, asked);
      if (outcome.kind === 'answered' && outcome.answer.status < 500) return outcome.answer;
      await this.sleep(300, 2_500);
    }
    return undefined;
  }
}
