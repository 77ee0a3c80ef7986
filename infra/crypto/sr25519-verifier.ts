import type { Service } from '../ports/lifecycle.ts';
import type { SignatureVerifier } from '../ports/signatures.ts';
import type { Claim } from './claim-room.ts';
import { mayVerify } from './sr25519-encoding.ts';
import { startThread, type VerifierThread } from './verifier-thread.ts';

export interface VerifierPoolOptions {
  /** Threads. One checks about 6,000 signatures a second, 3,000 under keys that are new to it. */
  readonly workers: number;
  /** Of each urgency. Beyond it `verify` throws; the default is two seconds of a thread's work at most. */
  readonly waitingMax?: number;
  /** What a thread runs; tests put a program there that dies. */
  readonly program?: URL;
  /** The quick library died so many times more: callers felt nothing, but somebody should know. */
  readonly onTraps?: (more: number) => void;
}

/** So many signatures wait that one more would be answered too late. */
export class VerifierOverloaded extends Error {
  override name = 'VerifierOverloaded';
}

export function createVerifierPool(options: VerifierPoolOptions): SignatureVerifier & Service {
  return new VerifierPool(options);
}

interface Job extends Claim {
  readonly answer: PromiseWithResolvers<boolean>;
  /** A thread died while it had this one. */
  isSuspect: boolean;
}

interface Seat {
  thread: VerifierThread;
  isReady: boolean;
  jobs: readonly Job[];
}

/** 5 to 10 ms of work: keeps the hand-over cheap under load, and nobody waits long behind a neighbour. */
const batchMax = 32;
/** Of what is not urgent: what is waits a millisecond behind it, for a twentieth more of hand-over. */
const patientMax = 2;
/** However much is urgent: else good signatures of a few would keep every newcomer out. */
const patientMin = 1;
/** Without a single good start between them; then starting again would only heat the machine. */
const failedStartsMax = 5;

/**
 * Strict sr25519 on threads.
 *
 * 1. An answer is true only if the library said so of these very bytes. Death, doubt and malformed
 *    input are false.
 * 2. A thread that dies is replaced. Its jobs are tried once more, each alone, so that one that
 *    kills a thread takes no other caller's answer with it.
 * 3. A batch is whatever waits when a thread falls idle: without load a job leaves at once.
 * 4. However much waits, what is urgent waits for one batch and for what is urgent too.
 */
class VerifierPool implements SignatureVerifier, Service {
  readonly stopped: Promise<void>;
  readonly #options: Required<VerifierPoolOptions>;
  readonly #ended = Promise.withResolvers<void>();
  readonly #started = Promise.withResolvers<void>();
  readonly #seats: Seat[] = [];
  readonly #urgent: Job[] = [];
  readonly #patient: Job[] = [];
  readonly #suspects: Job[] = [];
  #state: 'new' | 'running' | 'stopped' = 'new';
  #failedStarts = 0;

  constructor(options: VerifierPoolOptions) {
    if (!(options.workers >= 1)) throw new RangeError('a verifier needs at least one thread');
    const program = new URL('./sr25519-worker.ts', import.meta.url);
    this.#options = { waitingMax: 4096, program, onTraps: () => undefined, ...options };
    this.stopped = this.#ended.promise;
    // Whoever does not look at them must not see an unhandled rejection.
    for (const { promise } of [this.#ended, this.#started]) promise.catch(() => undefined);
  }

  /** Resolves when every thread can verify. */
  start(): Promise<void> {
    if (this.#state !== 'new') return this.#started.promise;
    this.#state = 'running';
    for (let count = 0; count < this.#options.workers; count += 1) this.#seats.push(this.#seat());
    return this.#started.promise;
  }

  async stop(): Promise<void> {
    this.#state = 'stopped';
    this.#refuseAll(new Error('the verifier is stopping'));
    await Promise.all(this.#seats.map(({ thread }) => thread.end()));
  }

  /** The bytes must stay as they are until the answer is there. */
  async verify(
    message: Uint8Array,
    signature: Uint8Array,
    publicKey: Uint8Array,
    options?: { readonly isUrgent: boolean },
  ): Promise<boolean> {
    if (!mayVerify(signature, publicKey)) return false;
    if (this.#state !== 'running') throw new Error('the verifier is not running');
    const waiting = options?.isUrgent === true ? this.#urgent : this.#patient;
    if (waiting.length >= this.#options.waitingMax) {
      throw new VerifierOverloaded(`${waiting.length} signatures wait already`);
    }
    const answer = Promise.withResolvers<boolean>();
    waiting.push({ message, signature, publicKey, answer, isSuspect: false });
    this.#dispatch();
    return await answer.promise;
  }

  #seat(): Seat {
    const seat: Seat = { thread: this.#thread(() => seat), isReady: false, jobs: [] };
    return seat;
  }

  #thread(seat: () => Seat): VerifierThread {
    return startThread(this.#options.program, {
      onReady: () => this.#ready(seat()),
      onVerdicts: (verdicts) => this.#answer(seat(), verdicts),
      onTraps: this.#options.onTraps,
      onDeath: (cause) => this.#replace(seat(), cause),
    });
  }

  #ready(seat: Seat): void {
    seat.isReady = true;
    this.#failedStarts = 0;
    if (this.#seats.every(({ isReady }) => isReady)) this.#started.resolve();
    this.#dispatch();
  }

  #dispatch(): void {
    for (const seat of this.#seats) {
      if (!seat.isReady || seat.jobs.length > 0) continue;
      seat.jobs = this.#nextBatch();
      if (seat.jobs.length === 0) return;
      seat.thread.judge(seat.jobs);
    }
  }

  #nextBatch(): readonly Job[] {
    if (this.#suspects.length > 0) return this.#suspects.splice(0, 1);
    const urgent = this.#urgent.splice(0, Math.min(this.#share(this.#urgent), batchMax));
    const room = Math.max(patientMin, patientMax - urgent.length);
    return [...urgent, ...this.#patient.splice(0, Math.min(this.#share(this.#patient), room))];
  }

  #share({ length }: readonly Job[]): number {
    return Math.ceil(length / this.#seats.length);
  }

  #answer(seat: Seat, verdicts: readonly boolean[]): void {
    const { jobs } = seat;
    seat.jobs = [];
    for (const [index, { answer }] of jobs.entries()) answer.resolve(verdicts[index] === true);
    this.#dispatch();
  }

  #replace(seat: Seat, cause: Error): void {
    const { jobs } = seat;
    if (!seat.isReady) this.#failedStarts += 1;
    seat.jobs = [];
    seat.isReady = false;
    for (const job of jobs) this.#suspect(job);
    if (this.#state !== 'running') return;
    if (this.#failedStarts >= failedStartsMax) this.#giveUp(cause);
    else seat.thread = this.#thread(() => seat);
  }

  #suspect(job: Job): void {
    if (job.isSuspect) {
      job.answer.resolve(false);
    } else {
      job.isSuspect = true;
      this.#suspects.push(job);
    }
  }

  #giveUp(cause: Error): void {
    const error = new Error('threads that verify signatures do not start', { cause });
    this.#state = 'stopped';
    this.#refuseAll(error);
    this.#ended.reject(error);
  }

  #refuseAll(error: Error): void {
    this.#started.reject(error);
    const busy = this.#seats.flatMap(({ jobs }) => jobs);
    const waiting = [this.#suspects, this.#urgent, this.#patient];
    for (const { answer } of [...busy, ...waiting.flat()]) answer.reject(error);
    for (const jobs of waiting) jobs.length = 0;
  }
}
