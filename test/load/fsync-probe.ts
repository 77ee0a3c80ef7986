import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { percentile } from './percentile.ts';

const writes = 200;
const sizeBytes = 8_192;

/** What one durable 8 kB write costs in a folder now: every durable latency is read beside it. */
export async function probeFsync(folder: string): Promise<{ p50Ms: number; p99Ms: number }> {
  const path = join(folder, 'fsync-probe');
  const file = await open(path, 'w');
  const page = Buffer.alloc(sizeBytes, 1);
  const tookMs: number[] = [];
  for (let count = 0; count < writes; count++) {
    const startedMs = performance.now();
    await file.write(page, 0, sizeBytes, count * sizeBytes);
    await file.datasync();
    tookMs.push(performance.now() - startedMs);
  }
  await file.close();
  await rm(path);
  tookMs.sort((a, b) => a - b);
  return { p50Ms: percentile(tookMs, 0.5), p99Ms: percentile(tookMs, 0.99) };
}
