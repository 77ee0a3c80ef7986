/** Bittensor's time from block to block. */
export const blockMs = 12_000;

export function epochOfBlock(block: number, epochBlocks: number): number {
  return Math.floor(block / epochBlocks);
}

/** How long an epoch lasts; longer where blocks were missed, and never shorter. */
export function epochLengthMs(epochBlocks: number): number {
  return epochBlocks * blockMs;
}

/** Without a chain: as if it had begun with Unix time and never missed a block. */
export function epochOfTime(nowMs: number, epochBlocks: number): number {
  return Math.floor(nowMs / epochLengthMs(epochBlocks));
}
