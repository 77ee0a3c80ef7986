import type { BenchBlock } from '../../commands/bench-blocks.ts';
import type { Block } from './block.ts';
import { reads } from './blocks/reads.ts';
import { reclaims } from './blocks/reclaims.ts';
import { signatures } from './blocks/signatures.ts';

export const everyBlock: Readonly<Record<BenchBlock, Block>> = { signatures, reads, reclaims };
