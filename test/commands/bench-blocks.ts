/** What `npm run bench` is made of, in the order of the report. */
export const benchBlocks = [
  'signatures',
  'reads',
  'claims',
  'heartbeats',
  'cycles',
  'inside',
  'held',
  'race',
  'mix',
  'items',
  'latency',
  'submissions',
  'python',
  'scale',
  'reclaims',
  'failover',
  'restarts',
  'memory',
  'leaderboard',
  'overload',
] as const;

export type BenchBlock = (typeof benchBlocks)[number];
