import { createRpcChain } from '../../../infra/chain/rpc-chain.ts';
import type { Config } from '../../../infra/config/config.ts';
import type { Clock } from '../../../infra/ports/clock.ts';
import type { Logger } from '../../../infra/ports/log.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import type { Telemetry } from '../../../infra/ports/telemetry.ts';
import { epochLengthMs } from '../../../machines/time/epoch.ts';
import { chainNode } from '../operator/chain-node.ts';
import { madeSoFar } from '../reads/standings.ts';
import { ChainEpoch } from './chain-epoch.ts';
import { ChainWatch } from './chain-watch.ts';

interface EpochsOptions {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Logger;
  readonly telemetry: Telemetry;
}

export interface Epochs {
  readonly epochBlocks: number;
  /** Undefined where a simulated clock says which epoch it is. */
  readonly chainEpoch: ChainEpoch | undefined;
  /** Nobody watches a simulated clock: it jumps, and stands still when it is told to. */
  readonly chainWatch: ChainWatch | undefined;
}

/** Which epoch it is, and whether it goes on: by the chain, watched until the stack is disposed of. */
export async function openEpochs(
  { config, clock, log, telemetry }: EpochsOptions,
  sql: Sql,
  stack: AsyncDisposableStack,
): Promise<Epochs> {
  const { epochBlocks } = config;
  const isSimulated = config.clock === 'simulated';
  const chainEpoch = isSimulated ? undefined : chainEpochOf(config, clock);
  const watched = { epochMs: epochLengthMs(epochBlocks), madeSoFar: () => madeSoFar(sql) };
  const chainWatch = chainEpoch && new ChainWatch({ ...watched, chainEpoch, clock, log });
  const isStalled = () => (chainWatch?.isStalled === true ? 1 : 0);
  stack.defer(telemetry.gauge('paddock.chain.stalled', isStalled));
  const isRefused = () => (chainWatch?.isRefused === true ? 1 : 0);
  stack.defer(telemetry.gauge('paddock.chain.refused', isRefused));
  if (chainWatch !== undefined) {
    await chainWatch.start();
    stack.defer(() => chainWatch.stop());
  }
  return { epochBlocks, chainEpoch, chainWatch };
}

function chainEpochOf(config: Config, clock: Clock): ChainEpoch {
  const chain = createRpcChain({ ...chainNode(config, clock), netuid: config.netuid });
  return new ChainEpoch(chain, clock, config.epochBlocks);
}
