import type { Drill } from './drill.ts';
import { neighbourDrills } from './neighbour-drills.ts';
import { processDrills } from './process-drills.ts';
import { recordDrills } from './record-drills.ts';

/** In the order of the page. The database goes back last: everything before it would be gone. */
export const everyDrill: readonly Drill[] = [...processDrills, ...neighbourDrills, ...recordDrills];
