import type { Drill } from './drill.ts';
import { fullDisk } from './full-disk-drill.ts';
import { neighbourDrills } from './neighbour-drills.ts';
import { processDrills } from './process-drills.ts';
import { recordDrills } from './record-drills.ts';

/** What `npm run drills` does, in this order. */
export const everyDrill: readonly Drill[] = [
  ...processDrills,
  ...neighbourDrills,
  fullDisk,
  ...recordDrills,
];
