import { startPartner } from '../partner-process.ts';
import type { LoadOrder, LoadResult, Stream } from './streams.ts';
import type { Phase } from './windows.ts';

/** The process that makes open load. */
export interface OpenLoader extends AsyncDisposable {
  readonly pid: number;
  /** Each at its own rate, or as the phases say. */
  start(streams: readonly Stream[], schedule?: Schedule): Promise<void>;
  /** Ends when everything under way has been answered, or given up. */
  stop(): Promise<LoadResult>;
}

interface Schedule {
  readonly phases?: readonly Phase[];
  /** Opened at each edge before anything is sent, which is when `start` resolves. */
  readonly connections?: number;
}

export async function startOpenLoad(baseUrls: readonly string[]): Promise<OpenLoader> {
  const partner = await startPartner<LoadOrder, LoadResult | true>('faults/open-load.ts', baseUrls);
  return {
    pid: partner.pid,
    async start(streams, { phases = [], connections = 0 } = {}) {
      await partner.ask({ order: 'start', streams, phases, connections });
    },
    async stop() {
      const result = await partner.ask({ order: 'stop' });
      if (result === true) throw new Error('the open load did not tell what it sent');
      return result;
    },
    [Symbol.asyncDispose]: () => partner[Symbol.asyncDispose](),
  };
}
