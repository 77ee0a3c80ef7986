import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { startEmbeddedChain } from '../../../infra/chain/embedded/chain-node.ts';
import { createRpcChain } from '../../../infra/chain/rpc-chain.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { ManualClock } from '../../support/manual-clock.ts';

export const netuid = 14;

export function hotkeyOf(index: number): string {
  return index.toString(16).padStart(64, '0');
}

/** A folder that is gone after the test. */
export async function temporaryFolder(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'paddock-chain-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** An embedded node whose blocks follow a manual clock, and a client with the real one's time-outs. */
export async function temporaryChain(t: ExecutionContext) {
  const dataDir = await temporaryFolder(t);
  const clock = new ManualClock();
  const server = await startEmbeddedChain({ dataDir, netuid, clock });
  t.teardown(() => server.stop());
  const node = { url: server.url, timeoutMs: 10_000, clock: systemClock };
  return { dataDir, clock, server, node, chain: createRpcChain({ ...node, netuid }) };
}
