import { startPartner } from '../partner-process.ts';
import type { LoadOrder, LoadResult, Stream } from './streams.ts';

/** The process that makes open load. */
export interface OpenLoader extends AsyncDisposable {
  readonly pid: number;
  start(streams: readonly Stream[]): Promise<void>;
  /** Ends when everything under way has been answered, or given up. */
  stop(): Promise<LoadResult>;
}

export async function startOpenLoad(baseUrls: readonly string[]): Promise<OpenLoader> {
  const partner = await startPartner<LoadOrder, LoadResult | true>('faults/open-load.ts', baseUrls);
  return {
    pid: partner.pid,
    async start(streams) {
      await partner.ask({ order: 'start', streams });
    },
    async stop() {
      const result = await partner.ask({ order: 'stop' });
      if (result === true) throw new Error('the open load did not tell what it sent');
      return result;
    },
    [Symbol.asyncDispose]: () => partner[Symbol.asyncDispose](),
  };
}
