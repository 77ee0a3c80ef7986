import { z } from 'zod';
import { deeperThan, depthMax } from '../../../machines/json-depth.ts';

/** A line that a call may have; one that is longer is no call. */
export const lineBytesMax = 128 * 1024;

const note = z.discriminatedUnion('note', [
  z.object({ note: z.literal('ready') }),
  z.object({ note: z.literal('loaded') }),
  z.object({ note: z.literal('finished') }),
  z.object({ note: z.literal('raised'), kind: z.string().max(200), message: z.string().max(600) }),
]);

const call = z.object({ call: z.string().max(50), arguments: z.record(z.string(), z.unknown()) });

export type Message = z.infer<typeof call> | z.infer<typeof note>;

const message = z.union([note, call]);

/**
 * Undefined for what nobody but a forger writes, such as arguments that nest without end: they would be
 * parsed, and break whoever writes them into an episode.
 */
export function readMessage(line: Buffer): Message | undefined {
  if (deeperThan(line, depthMax)) return undefined;
  try {
    return message.safeParse(JSON.parse(line.toString())).data;
  } catch {
    return undefined;
  }
}

/** Cuts what comes in chunks into lines; undefined as soon as one is too long. */
export function lineReader(): (chunk: Buffer) => readonly Buffer[] | undefined {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    const lines: Buffer[] = [];
    rest = Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      if (end > lineBytesMax) return undefined;
      lines.push(rest.subarray(0, end));
      rest = rest.subarray(end + 1);
    }
    return rest.length > lineBytesMax ? undefined : lines;
  };
}
