/** What `npm run bench` is made of, in the order of the report. */
export const benchBlocks = ['signatures', 'reads', 'reclaims'] as const;

export type BenchBlock = (typeof benchBlocks)[number];
