import { stuckRuns, stuckVersions, stuckWork, workWithoutValidator } from './evaluation.ts';
import { stuckReleases, stuckWebhooks } from './feed.ts';
import { stuckSessions } from './identity.ts';
import { keysAtProvider, stuckKeys, stuckTokens } from './inference.ts';
import { stuckBundles, stuckRaces, stuckSuites } from './races.ts';
import { stuckRejudgings } from './rejudgings.ts';
import {
  stuckDrains,
  stuckMessages,
  stuckOrders,
  stuckParked,
  stuckPartitions,
} from './runtime.ts';
import { stuckSimilarity } from './similarity.ts';
import type { StuckKind } from './stuck-kind.ts';

/** Every kind of record that could wait for ever. A new one adds its query here. */
export const stuckKinds: readonly StuckKind[] = [
  stuckRuns,
  stuckWork,
  workWithoutValidator,
  stuckVersions,
  stuckRejudgings,
  stuckSimilarity,
  stuckRaces,
  stuckSuites,
  stuckBundles,
  stuckReleases,
  stuckWebhooks,
  stuckTokens,
  stuckKeys,
  keysAtProvider,
  stuckSessions,
  stuckMessages,
  stuckOrders,
  stuckParked,
  stuckPartitions,
  stuckDrains,
];
