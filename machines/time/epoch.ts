/** Bittensor's time from block to block. */
const blockMs = 12_000;

export function epochOfBlock(block: number, epochBlocks: number): number {
  return Math.floor(block / epochBlocks);
}

/** Without a chain: as if it had begun with Unix time and never missed a block. */
export function epochOfTime(nowMs: number, epochBlocks: number): number {
  return Math.floor(nowMs / (epochBlocks * blockMs));
}
