const streams = ['stdout', 'stderr'] as const;
export type StreamName = (typeof streams)[number];

/** Of one stream of one task: how an agent ended says more than how it began. */
export const printedBytesMax = 64 * 1024;

/** Of which one is made: an agent may print a byte at a time, and each chunk takes far more than its bytes. */
const chunksMax = 256;

interface Tail {
  readonly chunks: Buffer[];
  keptBytes: number;
  bytes: number;
}

/** The end of what an agent printed during one task; memory for it is bounded, whatever is printed. */
export class Printed {
  readonly #tails: Readonly<Record<StreamName, Tail>> = {
    stdout: { chunks: [], keptBytes: 0, bytes: 0 },
    stderr: { chunks: [], keptBytes: 0, bytes: 0 },
  };

  take(name: StreamName, chunk: Buffer): void {
    const tail = this.#tails[name];
    tail.chunks.push(chunk);
    tail.keptBytes += chunk.length;
    tail.bytes += chunk.length;
    if (tail.chunks.length > chunksMax) joinChunks(tail);
    // The first chunk goes as soon as what is behind it is enough.
    for (;;) {
      const first = tail.chunks[0]?.length ?? 0;
      if (first === 0 || tail.keptBytes - first < printedBytesMax) return;
      tail.chunks.shift();
      tail.keptBytes -= first;
    }
  }

  endOf(name: StreamName): { readonly text: string; readonly leftOutBytes: number } {
    const { chunks, bytes } = this.#tails[name];
    const kept = Buffer.concat(chunks).subarray(-printedBytesMax);
    return { text: kept.toString(), leftOutBytes: bytes - kept.length };
  }
}

function joinChunks(tail: Tail): void {
  const kept = Buffer.concat(tail.chunks).subarray(-printedBytesMax);
  tail.chunks.splice(0, tail.chunks.length, kept);
  tail.keptBytes = kept.length;
}
