import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export interface LongAnswer {
  readonly status?: number;
  readonly start: string;
  readonly end: string;
  /** Of the text between. */
  readonly bytes: number;
}

/** How much of an answer was taken, and whether it was all; settled when it has ended either way. */
export interface Taken {
  readonly bytes: number;
  readonly isWhole: boolean;
}

/** Sends it as fast as it is taken, and until whoever asked hangs up. */
export async function sendLong(response: ServerResponse, answer: LongAnswer): Promise<Taken> {
  const taken = { bytes: 0, isWhole: false };
  response.writeHead(answer.status ?? 200, { 'content-type': 'application/json' });
  try {
    await pipeline(Readable.from(pieces(answer, taken)), response);
    taken.isWhole = true;
  } catch {
    // Whoever hung up has heard enough.
  }
  return taken;
}

const pieceBytes = 65_536;

function* pieces({ start, end, bytes }: LongAnswer, taken: { bytes: number }): Generator<string> {
  yield start;
  for (let left = bytes; left > 0; left -= pieceBytes) {
    const piece = 'a'.repeat(Math.min(left, pieceBytes));
    taken.bytes += piece.length;
    yield piece;
  }
  yield end;
}
