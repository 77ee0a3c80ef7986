import { z } from 'zod';
import {
  completionPartsMax,
  deeperThan,
  depthMax,
  morePartsThan,
} from '../../../machines/json-depth.ts';

/**
 * What a line may have; one that has more is no call, and ends its task. `shop_channel.py` has the same figures,
 * and tells an agent before anything is written. The longest call is a question to a model, and whatever fits
 * into a line the service takes as a completion: its body has 4 MiB (`INFERENCE_BODY_BYTES_MAX`), of which the
 * name of a model may take what the line leaves.
 */
export const lineLimits = {
  bytesMax: 4_000_000,
  /** The object that is the line and its arguments are two. */
  levelsMax: depthMax,
  /** Lists, objects and texts, names among them: 4 MB of empty lists take a hundred once they are parsed. */
  partsMax: completionPartsMax,
  toolNameMax: 50,
} as const;

const { bytesMax, levelsMax, partsMax, toolNameMax } = lineLimits;

const note = z.discriminatedUnion('note', [
  z.object({ note: z.literal('ready') }),
  z.object({ note: z.literal('loaded') }),
  z.object({ note: z.literal('finished') }),
  z.object({ note: z.literal('raised'), kind: z.string().max(200), message: z.string().max(600) }),
]);

const call = z.object({
  call: z.string().max(toolNameMax),
  arguments: z.record(z.string(), z.unknown()),
});

export type Call = z.infer<typeof call>;
export type Note = z.infer<typeof note>;

const message = z.union([note, call]);

/**
 * Undefined for what nobody but a forger writes, such as arguments that nest without end: they would be
 * parsed, and break whoever writes them into an episode.
 */
export function readMessage(line: Buffer): Call | Note | undefined {
  if (deeperThan(line, levelsMax) || morePartsThan(line, partsMax)) return undefined;
  try {
    return message.safeParse(JSON.parse(line.toString())).data;
  } catch {
    return undefined;
  }
}

const newline = 10;
const nothing = Buffer.alloc(0);

/**
 * Cuts what comes in chunks into lines; undefined as soon as one is too long. Each byte is moved a few times at
 * the most, and what is held of a line takes no more than twice its size, however small the chunks are.
 */
export function lineReader(): (chunk: Buffer) => readonly Buffer[] | undefined {
  let held = nothing;
  let heldBytes = 0;

  function hold(piece: Buffer): void {
    const bytes = heldBytes + piece.length;
    if (bytes > held.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(bytes, held.length * 2));
      held.copy(larger, 0, 0, heldBytes);
      held = larger;
    }
    piece.copy(held, heldBytes);
    heldBytes = bytes;
  }

  function take(): Buffer {
    const line = held.subarray(0, heldBytes);
    held = nothing;
    heldBytes = 0;
    return line;
  }

  return (chunk) => {
    const lines: Buffer[] = [];
    let from = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
      if (heldBytes + end - from > bytesMax) return undefined;
      hold(chunk.subarray(from, end));
      lines.push(take());
      from = end + 1;
    }
    if (heldBytes + chunk.length - from > bytesMax) return undefined;
    hold(chunk.subarray(from));
    return lines;
  };
}
