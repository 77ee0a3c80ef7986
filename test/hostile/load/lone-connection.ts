import { connect } from 'node:net';
import { HttpAnswers } from './http-answers.ts';
import type { NumberedRequest, Outcome } from './outcome.ts';

/** Long enough for an analysis; a service that says nothing for so long has lost the request. */
const answerMs = 30_000;
/** What a second answer would take to come, where the first leaves the connection open. */
const afterwordMs = 30;

/** On a connection of its own: everything that comes back until it ends, or until it is still. */
export function sendAlone(port: number, request: NumberedRequest): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  const answers = new HttpAnswers();
  const statuses: number[] = [];
  let body: Buffer = Buffer.alloc(0);
  socket.setTimeout(answerMs, () => socket.destroy());
  socket.on('error', () => undefined);
  socket.on('data', (bytes: Buffer) => {
    answers.push(bytes);
    for (let answer = answers.take(false); answer !== undefined; answer = answers.take(false)) {
      statuses.push(answer.status);
      body = answer.body;
      // Only what might be taken for two requests gets two answers.
      if (answer.isLast || request.lane !== 'alone') socket.end();
      else socket.setTimeout(afterwordMs);
    }
  });
  socket.once('close', () => resolve({ statuses, body }));
  socket.write(request.bytes);
  return promise;
}

/** Says a part, holds the connection for a while and drops it; the service must not mind. */
export function sendSlowly(
  port: number,
  request: NumberedRequest,
  pause: (ms: number) => Promise<void>,
): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  const answers = new HttpAnswers();
  const statuses: number[] = [];
  socket.on('error', () => undefined);
  socket.on('data', (bytes: Buffer) => {
    answers.push(bytes);
    const answer = answers.take(false);
    if (answer !== undefined) statuses.push(answer.status);
  });
  socket.once('close', () => resolve({ statuses, body: Buffer.alloc(0) }));
  const drip = async () => {
    const step = Math.max(1, Math.ceil(request.bytes.length / 8));
    for (let at = 0; at < request.bytes.length && !socket.destroyed; at += step) {
      socket.write(request.bytes.subarray(at, at + step));
      await pause(100);
    }
    if (request.id % 2 === 0) socket.resetAndDestroy();
    else socket.destroy();
  };
  void drip();
  return promise;
}
