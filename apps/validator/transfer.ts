import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { sha256Hex } from '../../infra/ids/ids.ts';
import type { Clock } from '../../infra/ports/clock.ts';
import { AnswerLimit, limited, lineBytesPerMs } from '../cli/client/answer-limit.ts';
import { formOf } from '../cli/client/foreign-answer.ts';
import { renameSynced } from './write-synced.ts';

/** What was delivered is not what was announced, or did not come at all. */
export class TransferFailed extends Error {
  override name = 'TransferFailed';
}

export interface Announced {
  readonly url: string;
  readonly sha256: string;
  readonly sizeBytesMax: number;
}

/** The store does not serve just now, as it says itself. */
class StoreAway extends TransferFailed {}

/** Of what no waiting mends: an address that is refused, bytes that are not those announced. */
const attemptsMax = 4;
/** A store that restarts costs no run: a claim's address lives for a quarter of an hour. */
const awayPatienceMs = 10 * 60_000;
const [pauseMs, pauseMaxMs] = [500, 15_000];

/** Into memory, checked. */
export async function fetchBytes(
  announced: Announced,
  clock: Clock,
  signal: AbortSignal,
): Promise<Uint8Array> {
  return await repeated(clock, signal, async () => {
    using answer = await answered(announced.url, clock, signal);
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of answer.body) {
      size += chunk.length;
      if (size > announced.sizeBytesMax) throw tooLarge(announced);
      chunks.push(chunk);
    }
    const bytes = Buffer.concat(chunks);
    requireHash(announced, sha256Hex(bytes));
    return bytes;
  });
}

/** Into a file that only appears once it is whole, checked and on disk. */
export async function fetchFile(
  announced: Announced,
  path: string,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  await repeated(clock, signal, async () => {
    const hash = createHash('sha256');
    let size = 0;
    const measure = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        hash.update(chunk);
        size += chunk.length;
        done(size > announced.sizeBytesMax ? tooLarge(announced) : null, chunk);
      },
    });
    using answer = await answered(announced.url, clock, signal);
    try {
      await pipeline(answer.body, measure, createWriteStream(`${path}.new`));
      requireHash(announced, hash.digest('hex'));
      await renameSynced(`${path}.new`, path);
    } catch (error) {
      // What came of it may have filled the disk, on which other things wait to be written.
      await rm(`${path}.new`, { force: true });
      throw error;
    }
  });
}

/** For a store that has all of it and syncs it to its disk, or that begins to send it. */
const answerMs = 30_000;
/** Several fit into the hour after which a run without results is ended; 12 MB and more need a faster line. */
const uploadMaxMs = 10 * 60_000;

export interface Upload {
  readonly contentType: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * A plain PUT, as presigned addresses take it, and once: what is left to be sent waits in the queue. What
 * takes longer than its size may is given up, or one connection that hangs would hold up the queue.
 */
export async function putBytes(
  url: string,
  bytes: Uint8Array<ArrayBuffer>,
  { contentType, clock, signal }: Upload,
): Promise<void> {
  const limitMs = Math.min(answerMs + bytes.length / lineBytesPerMs, uploadMaxMs);
  const [done, late] = [new AbortController(), new AbortController()];
  const said = `an upload of ${bytes.length} bytes was not answered within ${limitMs / 1000} s`;
  void clock.sleep(limitMs, done.signal).then(() => late.abort(new TransferFailed(said)));
  try {
    const answer = await fetch(url, {
      ...{ method: 'PUT', body: bytes, headers: { 'content-type': contentType } },
      signal: AbortSignal.any([signal, late.signal]),
    });
    const isPaged = await isPage(answer);
    if (!answer.ok) throw new TransferFailed(`an upload was answered ${answer.status}`);
    if (isPaged) throw new TransferFailed('an upload was answered with a page, as no store does');
  } finally {
    done.abort();
  }
}

/**
 * A proxy's. Stores may call the answer to an upload HTML as well, but have no words for a success; and they may
 * redirect to where they take it.
 */
async function isPage(answer: Response): Promise<boolean> {
  const reader = answer.body?.getReader();
  const first = formOf(answer) === 'text/html' ? await reader?.read() : undefined;
  await reader?.cancel();
  return first?.value !== undefined;
}

interface Answered extends Disposable {
  readonly body: AsyncIterable<Uint8Array>;
}

/** What stalls or drips ends with an error, as what takes longer than an upload of its size may. */
async function answered(url: string, clock: Clock, signal: AbortSignal): Promise<Answered> {
  const limit = new AnswerLimit(answerMs, clock);
  try {
    const answer = await fetch(url, { signal: AbortSignal.any([signal, limit.signal]) });
    const { body } = limited(answer, limit);
    if (answer.ok && body !== null) return { body, [Symbol.dispose]: () => limit.end() };
    await body?.cancel();
    const Failed = isAway(answer.status) ? StoreAway : TransferFailed;
    throw new Failed(`a download was answered ${answer.status}`);
  } catch (error) {
    limit.end();
    throw error;
  }
}

/** Of the store, or of a proxy before it. */
function isAway(status: number): boolean {
  return status >= 500 || status === 408 || status === 429;
}

async function repeated<T>(clock: Clock, signal: AbortSignal, once: () => Promise<T>): Promise<T> {
  const patientUntilMs = clock.monotonicMs() + awayPatienceMs;
  for (let attempt = 1; ; attempt++) {
    try {
      return await once();
    } catch (error) {
      signal.throwIfAborted();
      const isFinal = error instanceof TransferFailed || isOfMachine(error);
      const mayPass = error instanceof StoreAway || !isFinal;
      if (attempt < attemptsMax || (mayPass && clock.monotonicMs() < patientUntilMs))
        await clock.sleep(Math.min(pauseMs * attempt, pauseMaxMs), signal);
      else if (isFinal) throw error;
      else throw new TransferFailed('a download broke off', { cause: error });
    }
  }
}

/** A full disk, no more files to be opened: nothing that the service or a store could be blamed for. */
export function isOfMachine(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}

function requireHash(announced: Announced, sha256: string): void {
  if (sha256 !== announced.sha256) {
    throw new TransferFailed(`a download has the SHA-256 ${sha256}, not ${announced.sha256}`);
  }
}

function tooLarge({ sizeBytesMax }: Announced): TransferFailed {
  return new TransferFailed(`a download has more than ${sizeBytesMax} bytes`);
}
