import type { BenchBlock } from '../../commands/bench-blocks.ts';
import type { Block } from './block.ts';
import { claims } from './blocks/claims.ts';
import { cycles } from './blocks/cycles.ts';
import { failover } from './blocks/failover.ts';
import { heartbeats } from './blocks/heartbeats.ts';
import { held } from './blocks/held.ts';
import { inside } from './blocks/inside.ts';
import { items } from './blocks/items.ts';
import { latency } from './blocks/latency.ts';
import { leaderboard } from './blocks/leaderboard.ts';
import { memory } from './blocks/memory.ts';
import { mix } from './blocks/mix.ts';
import { overload } from './blocks/overload.ts';
import { python } from './blocks/python.ts';
import { race } from './blocks/race.ts';
import { reads } from './blocks/reads.ts';
import { reclaims } from './blocks/reclaims.ts';
import { restarts } from './blocks/restarts.ts';
import { scale } from './blocks/scale.ts';
import { signatures } from './blocks/signatures.ts';
import { submissions } from './blocks/submissions.ts';

export const everyBlock: Readonly<Record<BenchBlock, Block>> = {
  signatures,
  reads,
  claims,
  heartbeats,
  cycles,
  inside,
  held,
  race,
  mix,
  items,
  latency,
  submissions,
  python,
  scale,
  reclaims,
  failover,
  restarts,
  memory,
  leaderboard,
  overload,
};
