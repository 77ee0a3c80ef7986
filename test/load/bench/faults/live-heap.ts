import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

/** What a process must be started with (NODE_OPTIONS), that its inspector takes a free port. */
export const inspectable = '--inspect-port=0';

const lookEveryMs = 50;
const looksMax = 200;
/** What one collection leaves because somebody waited for its end, the next one takes. */
const collections = 3;

const usage = z.object({ usedSize: z.number(), backingStorageSize: z.number() });
const answer = z.object({ id: z.number(), result: z.unknown().optional() });

/** Asks the engine of another process. */
export interface LiveHeap extends Disposable {
  /** What its main thread holds in objects and buffers when all garbage is collected. */
  bytes(): Promise<number>;
}

/** Opens the inspector of a process that writes its standard error into `log`. */
export async function openLiveHeap(pid: number, log: string): Promise<LiveHeap> {
  process.kill(pid, 'SIGUSR1');
  const socket = new WebSocket(await inspectorOf(log));
  await new Promise<void>((resolve, reject) => {
    socket.onopen = () => resolve();
    socket.onerror = () => reject(new Error(`the inspector of ${pid} takes no connection`));
  });
  const waiting = new Map<number, (result: unknown) => void>();
  socket.onmessage = ({ data }) => {
    const { id, result } = answer.parse(JSON.parse(String(data)));
    waiting.get(id)?.(result);
    waiting.delete(id);
  };
  let asked = 0;
  const ask = (method: string): Promise<unknown> => {
    const id = ++asked;
    const { promise, resolve } = Promise.withResolvers<unknown>();
    waiting.set(id, resolve);
    socket.send(JSON.stringify({ id, method }));
    return promise;
  };
  return {
    async bytes() {
      for (let done = 0; done < collections; done += 1) await ask('HeapProfiler.collectGarbage');
      const { usedSize, backingStorageSize } = usage.parse(await ask('Runtime.getHeapUsage'));
      return usedSize + backingStorageSize;
    },
    [Symbol.dispose]: () => socket.close(),
  };
}

async function inspectorOf(log: string): Promise<string> {
  for (let looks = 0; looks < looksMax; looks += 1) {
    const [url] = /ws:\/\/\S+/.exec(await readFile(log, 'utf8')) ?? [];
    if (url !== undefined) return url;
    await sleep(lookEveryMs);
  }
  throw new Error(`no inspector was opened, says ${log}`);
}
