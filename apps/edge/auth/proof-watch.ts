import type { RegistrationCache } from '../../../infra/chain/registration-cache.ts';
import type { Clock } from '../../../infra/ports/clock.ts';
import type { Service } from '../../../infra/ports/lifecycle.ts';
import type { Logger } from '../../../infra/ports/log.ts';
import { faultOf } from '../../outage.ts';
import type { NewcomersWay } from './newcomer.ts';

const proveEveryMs = 1_000;
/** One try that fails may be chance; so long after the first of several nobody is let in. */
const failingMaxMs = 2_000;
/** As long as deployed clients wait for an answer: who is let in later has gone. */
const waitMaxMs = 30_000;
/** What a start waits for the first try: reads are served also where nobody can be let in. */
const startMaxMs = 5_000;

/** In words for strangers. */
const troubleOf: Readonly<Record<keyof NewcomersWay, string>> = {
  turn: 'nobody is let in',
  proof: 'callers cannot be proved',
  nonce: 'signed requests cannot be recorded',
};

/** Whom the last try would have let in: a session leaves no nonce. */
type LetIn = 'nobody' | 'sessions' | 'everybody';

const ranks: Readonly<Record<LetIn, number>> = { nobody: 0, sessions: 1, everybody: 2 };

interface Failure {
  readonly step: keyof NewcomersWay;
  readonly error: unknown;
}

export interface ProofWatchDeps {
  readonly way: NewcomersWay;
  readonly registrations: Pick<RegistrationCache, 'isBlind' | 'knowsNobody' | 'look'>;
  /** Called when a try got further than the one before: a silence may be over. */
  readonly onOpened: () => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Whether this edge could let anybody in, and how long that takes. One that refuses every heartbeat is
 * as good as dead, and one that lets them in late shortens leases by as much; hosts must know, for a
 * lease that ends meanwhile would be the callers' loss and our fault. Strangers are told less, see
 * `trouble`.
 */
export class ProofWatch implements Service {
  readonly #deps: ProofWatchDeps;
  readonly #stops: (() => void)[] = [];
  #hasProved = false;
  /** When the first try began that failed, and how the last one did, if none went well since. */
  #failing: (Failure & { readonly sinceMs: number }) | undefined;
  #letIn: LetIn = 'nobody';
  /** When the one began that is under way. */
  #askedMs: number | undefined;
  /** When it was its turn. */
  #turnedMs: number | undefined;
  /** Of the last one that went well. */
  #tookMs = 0;
  #proving: Promise<void> | undefined;
  #wasAble = true;

  constructor(deps: ProofWatchDeps) {
    this.#deps = deps;
  }

  get isAble(): boolean {
    if (this.#deps.registrations.isBlind || !this.#hasProved) return false;
    return this.waitMs < waitMaxMs && !this.#isFailing;
  }

  /**
   * Whether somebody who was let in so shows that all can be: who came by a session shows nothing of those who sign, nor
   * who has grace left of those who have none. A word for them would let their time go on.
   */
  speaksForAll(scheme: 'session' | 'signature'): boolean {
    if (this.#deps.registrations.isBlind) return false;
    return scheme === 'signature' || !this.isForSessionsAlone;
  }

  /** Sessions are let in and signed requests are not: that somebody is let in ends nothing. */
  get isForSessionsAlone(): boolean {
    return !this.isAble && this.#letIn === 'sessions';
  }

  /**
   * Why callers had better ask another edge, in words for strangers; undefined when there is no reason.
   * Nobody may bring it about by what he sends: a flood that newcomers wait behind, or that fills a
   * queue, would follow them to the next edge, and so it shows to hosts alone.
   */
  get trouble(): string | undefined {
    if (this.#deps.registrations.knowsNobody)
      return 'no caller is known, and the chain does not answer';
    const failing = this.#failing;
    if (failing !== undefined && this.#isFailing && !isFlood(failing.error)) {
      return troubleOf[failing.step];
    }
    if (this.#stuckMs >= waitMaxMs) return 'nobody is let in within thirty seconds';
    return this.#hasProved ? undefined : 'nobody could be let in yet';
  }

  /** How long a newcomer waits, or has waited by now, until he is let in. */
  get waitMs(): number {
    if (this.#askedMs === undefined) return this.#tookMs;
    return Math.max(this.#tookMs, this.#deps.clock.monotonicMs() - this.#askedMs);
  }

  async start(): Promise<void> {
    const { clock, registrations } = this.#deps;
    const begun = new AbortController();
    const first = Promise.all([this.#prove(), registrations.look()]);
    await Promise.race([first, clock.sleep(startMaxMs, begun.signal)]);
    begun.abort();
    this.#stops.push(
      clock.every(proveEveryMs, () => this.#prove()),
      // Apart, for a chain that says nothing must not delay the next try.
      clock.every(proveEveryMs, () => registrations.look()),
    );
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops.splice(0)) stop();
  }

  get #isFailing(): boolean {
    if (this.#failing === undefined) return false;
    return this.#deps.clock.monotonicMs() - this.#failing.sinceMs >= failingMaxMs;
  }

  /** Without the wait among strangers. */
  get #stuckMs(): number {
    return this.#turnedMs === undefined ? 0 : this.#deps.clock.monotonicMs() - this.#turnedMs;
  }

  /** One at a time: the first one may outlast the start. */
  #prove(): Promise<void> {
    this.#proving ??= this.#try().finally(() => {
      this.#proving = undefined;
    });
    return this.#proving;
  }

  async #try(): Promise<void> {
    const { clock } = this.#deps;
    const askedMs = clock.monotonicMs();
    this.#askedMs = askedMs;
    const failure = await this.#go();
    this.#askedMs = undefined;
    this.#turnedMs = undefined;
    if (failure === undefined) {
      this.#hasProved = true;
      this.#failing = undefined;
      this.#tookMs = clock.monotonicMs() - askedMs;
    } else this.#failing = { ...failure, sinceMs: this.#failing?.sinceMs ?? askedMs };
    this.#openTo(this.#reached(failure));
    this.#tellChange(failure);
  }

  async #go(): Promise<Failure | undefined> {
    const { clock, way } = this.#deps;
    let step: Failure['step'] = 'turn';
    try {
      await way.turn();
      this.#turnedMs = clock.monotonicMs();
      step = 'proof';
      await way.proof();
      step = 'nonce';
      await way.nonce();
      return undefined;
    } catch (error) {
      return { step, error };
    }
  }

  #reached(failure: Failure | undefined): LetIn {
    if (this.#deps.registrations.isBlind) return 'nobody';
    if (failure === undefined) return 'everybody';
    return failure.step === 'nonce' ? 'sessions' : 'nobody';
  }

  #openTo(letIn: LetIn): void {
    const isMore = ranks[letIn] > ranks[this.#letIn];
    this.#letIn = letIn;
    if (isMore) this.#deps.onOpened();
  }

  #tellChange(failure: Failure | undefined): void {
    const { log } = this.#deps;
    const { isAble } = this;
    if (isAble !== this.#wasAble) {
      if (isAble) log.info('callers can be proved again');
      else
        log.warn('nobody can be proved: hosts do not hear of this edge meanwhile', { ...failure });
    }
    this.#wasAble = isAble;
  }
}

function isFlood(error: unknown): boolean {
  return faultOf(error).code === 'OVERLOADED';
}
