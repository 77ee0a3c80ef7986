import { connect, type Socket } from 'node:net';
import { HttpAnswers } from './http-answers.ts';
import type { NumberedRequest, Outcome } from './outcome.ts';

export interface LaneWork {
  /** Undefined when nothing waits now. */
  next(): NumberedRequest | undefined;
  done(request: NumberedRequest, outcome: Outcome): void;
  /** Its connection ended before it was answered; `isSuspect`: nothing was before it. */
  again(request: NumberedRequest, isSuspect: boolean): void;
}

/** One connection that sends up to `depth` requests ahead of their answers, as long as there are any. */
export class KeptConnection {
  readonly #port: number;
  readonly #depth: number;
  readonly #work: LaneWork;
  #socket: Socket | undefined;
  #answers = new HttpAnswers();
  #sent: NumberedRequest[] = [];
  #isClosing = false;
  #isStopped = false;

  constructor(port: number, depth: number, work: LaneWork) {
    this.#port = port;
    this.#depth = depth;
    this.#work = work;
  }

  /** Sends what waits; to be called whenever something new does. */
  fill(): void {
    if (this.#isClosing || this.#isStopped) return;
    const parts: Buffer[] = [];
    while (this.#sent.length < this.#depth) {
      const request = this.#work.next();
      if (request === undefined) break;
      this.#sent.push(request);
      parts.push(request.bytes);
    }
    if (parts.length === 0) return;
    this.#open().write(parts.length === 1 ? (parts[0] ?? Buffer.alloc(0)) : Buffer.concat(parts));
  }

  stop(): void {
    this.#isStopped = true;
    this.#socket?.destroy();
  }

  #open(): Socket {
    if (this.#socket !== undefined) return this.#socket;
    const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true });
    this.#socket = socket;
    socket.setTimeout(answerMs, () => socket.destroy());
    socket.on('data', (bytes: Buffer) => this.#read(bytes));
    socket.on('error', () => undefined);
    socket.once('close', () => this.#closed());
    return socket;
  }

  #read(bytes: Buffer): void {
    this.#answers.push(bytes);
    while (this.#sent.length > 0) {
      const [first] = this.#sent;
      if (first === undefined) break;
      const answer = this.#answers.take(first.bytes[0] === capitalH);
      if (answer === undefined) break;
      this.#sent.shift();
      this.#work.done(first, { statuses: [answer.status], body: answer.body });
      if (answer.isLast) {
        this.#isClosing = true;
        this.#socket?.end();
        break;
      }
    }
    this.fill();
  }

  /** What was sent behind the last answer may not have been looked at; any may have broken it. */
  #closed(): void {
    const unanswered = this.#sent;
    this.#sent = [];
    this.#socket = undefined;
    this.#answers = new HttpAnswers();
    this.#isClosing = false;
    if (this.#isStopped) return;
    for (const [place, request] of unanswered.entries()) {
      this.#work.again(request, place === 0);
    }
    this.fill();
  }
}

/** HEAD: no other method of ours begins with it. */
const capitalH = 0x48;
const answerMs = 30_000;
