import { z } from 'zod';
import type { Command, Reply } from '../runtime/partition-actor.ts';
import { done } from './answer.ts';
import { closeQualifying } from './close-race.ts';
import { completeIfDone } from './complete-race.ts';
import type { Draft } from './draft.ts';
import { endBannedReign, endDiscardedReign } from './end-reign.ts';
import { followSuites } from './follow-suites.ts';
import { raceMessages } from './messages.ts';
import { orderCancel, orderClose, orderStart } from './race-orders.ts';
import { startRace } from './start-race.ts';
import type { Wanted } from './store.ts';

type Need = keyof Wanted;

interface Handler<T> {
  readonly request: z.ZodType<T>;
  /** What has to be read of the race that the command names. */
  readonly needs: readonly Need[];
  /** Runs only on what `request` parsed. */
  handle(draft: Draft, request: T): Reply;
}

const ofRace = z.object({ raceId: z.guid() });

const messages = {
  'suite-activated': handler(raceMessages['suite-activated'], [], effect(followSuites)),
  'work-changed': handler(
    raceMessages['work-changed'],
    ['raceIdsToLookAt'],
    effect((draft, { raceId }) => completeIfDone(draft, raceId)),
  ),
  'version-discarded': handler(raceMessages['version-discarded'], [], effect(endDiscardedReign)),
  'hotkey-banned': handler(raceMessages['hotkey-banned'], [], effect(endBannedReign)),
  'close-qualifying': handler(
    raceMessages['close-qualifying'],
    ['raceIdsToFind', 'raceIdsToClose'],
    (draft, { raceId }) => orderClose(draft, raceId),
  ),
  'start-race': handler(
    raceMessages['start-race'],
    ['raceIdsToFind', 'raceIdsToClose', 'raceIdsToStart'],
    (draft, { raceId }) => orderStart(draft, raceId),
  ),
  'cancel-race': handler(
    raceMessages['cancel-race'],
    ['raceIdsToFind'],
    (draft, { raceId, reason }) => orderCancel(draft, raceId, reason),
  ),
} satisfies Record<keyof typeof raceMessages, unknown>;

/** What the partition says to itself when time has passed. */
const ownCommands = {
  'suites-due': handler(z.object({}), [], effect(followSuites)),
  'close-due': handler(
    ofRace,
    ['raceIdsToClose'],
    effect((draft, { raceId }) => closeQualifying(draft, raceId)),
  ),
  'start-due': handler(
    ofRace,
    ['raceIdsToStart'],
    effect((draft, { raceId }) => startRace(draft, raceId)),
  ),
  'complete-due': handler(
    ofRace,
    ['raceIdsToComplete'],
    effect((draft, { raceId }) => completeIfDone(draft, raceId)),
  ),
  'look-at-work': handler(
    ofRace,
    ['raceIdsToLookAt'],
    effect((draft, { raceId }) => completeIfDone(draft, raceId)),
  ),
};

export const handlers: Readonly<Record<string, Handler<unknown> | undefined>> = {
  ...messages,
  ...ownCommands,
};

/**
 * What a batch has to read, by what its commands name. One that cancels a race asks no race for its results: should
 * an end be what cannot be read, a cancellation is the way out. Who asked for an end asks again in a moment.
 */
export function wantedBy(commands: readonly Command[]): Wanted {
  const cancels = commands.some(({ type }) => type === 'cancel-race');
  const raceIdsOf = (need: Need) => [
    ...new Set(
      commands.flatMap(({ type, body }) => {
        const named = handlers[type]?.needs.includes(need) ? ofRace.safeParse(body) : undefined;
        return named?.success ? [named.data.raceId] : [];
      }),
    ),
  ];
  return {
    raceIdsToFind: raceIdsOf('raceIdsToFind'),
    raceIdsToClose: raceIdsOf('raceIdsToClose'),
    raceIdsToStart: raceIdsOf('raceIdsToStart'),
    raceIdsToLookAt: cancels ? [] : raceIdsOf('raceIdsToLookAt'),
    raceIdsToComplete: cancels ? [] : raceIdsOf('raceIdsToComplete'),
  };
}

function effect<T>(happen: (draft: Draft, request: T) => void) {
  return (draft: Draft, request: T): Reply => {
    happen(draft, request);
    return done;
  };
}

function handler<T>(
  request: z.ZodType<T>,
  needs: readonly Need[],
  handle: (draft: Draft, request: T) => Reply,
): Handler<unknown> {
  // Sound because the caller hands `handle` nothing but what `request` gave back.
  return { request, needs, handle: (draft, body) => handle(draft, body as T) };
}
