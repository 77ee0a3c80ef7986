import type { CountedThing } from '../../../infra/ports/last-count.ts';
import { stuckRuns, stuckVersions, stuckWork, workWithoutValidator } from './evaluation.ts';
import { stuckReleases, stuckWebhooks } from './feed.ts';
import { stuckSessions, unsweptRows } from './identity.ts';
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

export interface StuckGroup {
  /** As `paddock.count.age` names it. */
  readonly what: CountedThing;
  readonly kinds: readonly StuckKind[];
}

/** Every kind of record that could wait for ever. A new one adds its query here. */
export const stuckRecords = {
  what: 'stuck',
  kinds: [
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
    unsweptRows,
    stuckParked,
    stuckPartitions,
    stuckDrains,
  ],
} as const satisfies StuckGroup;

/** Apart, for they may be many, and then the others are what somebody wants to see. */
export const stuckOfOutbox = {
  what: 'stuck-messages',
  kinds: [stuckMessages, stuckOrders],
} as const satisfies StuckGroup;

export const stuckGroups: readonly StuckGroup[] = [stuckRecords, stuckOfOutbox];

export const stuckKinds: readonly StuckKind[] = stuckGroups.flatMap(({ kinds }) => kinds);
