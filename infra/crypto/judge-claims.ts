import { parentPort, workerData } from 'node:worker_threads';
import { ClaimRoom } from './claim-room.ts';
import type { Sr25519Judge } from './sr25519-judge.ts';
import type { ThreadReport } from './verifier-thread.ts';

/**
 * Judges what is put into the room that this thread was started with, for as long as it lives. The
 * thread sleeps in between: it has no turns of an event loop, and nothing else may run in it.
 */
export function judgeClaims(judge: Pick<Sr25519Judge, 'isGood' | 'traps'>): never {
  if (parentPort === null) throw new Error('this runs in a thread of the verifier pool');
  const port = parentPort;
  const report = (message: ThreadReport): void => port.postMessage(message);
  const room = new ClaimRoom(workerData);
  report('ready');
  for (let last = 0; ; ) {
    const { batch, claims } = room.wait(last);
    // Nothing is caught: the thread dies of what the judge throws, and the pool starts a new one.
    room.answer(
      claims.map((claim) => judge.isGood(claim)),
      judge.traps,
    );
    report('judged');
    last = batch;
  }
}
