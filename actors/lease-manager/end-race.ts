import type { z } from 'zod';
import { asTold } from '../../machines/reasons/codes.ts';
import { type Answer, accepted } from './answer.ts';
import type { Draft } from './draft.ts';
import { cancelItem } from './end-run.ts';
import type { evalMessages } from './messages.ts';
import { raceOf } from './partition-state.ts';

type End = z.infer<(typeof evalMessages)['race-ended']>;

/** Cancels what is left of a race; nobody is blamed. All open work is in memory, named or not. */
export function endRace(draft: Draft, { raceId, reason }: End): Answer {
  for (const [workItemId, versionId] of [...draft.state.openItems.entries()]) {
    const item = draft.item(versionId, workItemId);
    if (raceOf(item.context) === raceId) cancelItem(draft, item, asTold(reason));
  }
  return accepted({});
}
