import type { BenchBlock } from '../../commands/bench-blocks.ts';
import type { Block } from './block.ts';
import { claims } from './blocks/claims.ts';
import { cycles } from './blocks/cycles.ts';
import { heartbeats } from './blocks/heartbeats.ts';
import { items } from './blocks/items.ts';
import { reads } from './blocks/reads.ts';
import { reclaims } from './blocks/reclaims.ts';
import { signatures } from './blocks/signatures.ts';

export const everyBlock: Readonly<Record<BenchBlock, Block>> = {
  signatures,
  reads,
  claims,
  heartbeats,
  cycles,
  items,
  reclaims,
};
