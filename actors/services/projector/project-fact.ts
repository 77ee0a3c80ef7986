import { z } from 'zod';
import type { Delivery } from '../../../infra/ports/bus.ts';
import {
  type PublicEventBody,
  type PublicEventType,
  type Tidings,
  tidings,
} from '../../../machines/feed/public-event.ts';
import { microPerUnit } from '../../../machines/scoring/micro.ts';
import type { EvalFact } from '../../lease-manager/messages.ts';
import type { RaceFact } from '../../race-coordinator/messages.ts';
import { unreadable } from '../../runtime/unreadable.ts';

/** What the public is told of later: the code of a version, how the runs of a race ended. */
export interface Release {
  readonly kind: 'CODE' | 'RACE';
  readonly id: string;
  readonly dueMs: number;
  /** Of code: because the version became top, or by its age. */
  readonly reason: 'TOP' | 'AGED' | null;
}

/** What one fact means to the public, now and later. */
export interface Projection {
  readonly tidings?: Tidings;
  readonly release?: Release;
  /** A run of this race ended, which is told with its release or, after that, at once. */
  readonly endedInRace?: string;
}

/** How long code stays private after its submission. */
export interface ReleaseTerms {
  readonly codePrivateMs: number;
}

const at = z.number();
const version = z.object({
  at,
  agentVersionId: z.string(),
  agentName: z.string(),
  minerHotkey: z.string(),
  suiteId: z.number(),
});
const run = z.object({
  at,
  evalRunId: z.string(),
  agentVersionId: z.string(),
  suiteId: z.number(),
  phase: z.enum(['QUALIFYING', 'RACE']),
  raceId: z.string().nullable(),
  validatorHotkey: z.string(),
});
const race = z.object({ at, raceId: z.string(), suiteId: z.number(), raceNumber: z.number() });
const decimal = z.string().transform(Number);

/** Every fact that is published, and no other: one that nobody is told of would cost and serve nobody. */
const facts = {
  'submission-accepted': version,
  'version-eligible': version.extend({ qualifyingScore: decimal.nullable() }),
  'run-claimed': run,
  'run-ended': run.extend({
    status: z.enum(['SUCCESS', 'FAILED', 'TIMED_OUT', 'STALE', 'CANCELLED']).nullable(),
    scoreMicro: z.number().int().nullable().default(null),
  }),
  'race-opened': race.extend({ qualifyingClosesAt: z.number() }),
  'race-closed': race.extend({ qualifierCount: z.number() }),
  'race-started': race.extend({ entrantCount: z.number() }),
  'race-completed': race.extend({
    scoredCount: z.number(),
    winnerAgentVersionId: z.string(),
    winnerScore: decimal,
    promotedAgentVersionId: z.string().nullable(),
    releasedAt: z.number(),
  }),
  'race-cancelled': race.extend({ reason: z.string().nullable() }),
  'top-changed': z.object({
    at,
    suiteId: z.number(),
    raceId: z.string().nullable(),
    agentVersionId: z.string().nullable(),
    minerHotkey: z.string().nullable(),
    score: decimal.nullable(),
    reason: z.string().nullable().default(null),
  }),
} as const satisfies Readonly<Record<EvalFact | RaceFact, z.ZodType>>;
type FactName = keyof typeof facts;
type Fact<T extends FactName> = z.output<(typeof facts)[T]>;

/** What each fact says in public; undefined for what stays inside. */
const bodies: { readonly [T in FactName]: (fact: Fact<T>) => PublicEventBody<T> | undefined } = {
  'submission-accepted': versionBody,
  'version-eligible': (fact) => ({
    ...versionBody(fact),
    qualifying_score: fact.qualifyingScore,
  }),
  'run-claimed': runBody,
  // Of a race run nothing: not even that it ended, for its score may be guessed from how many did.
  'run-ended': (fact) => {
    const { phase, status, scoreMicro } = fact;
    if (phase === 'RACE' || status === null) return undefined;
    return { ...runBody(fact), status, validator_score: scoreOfMicro(scoreMicro) };
  },
  'race-opened': (fact) => ({
    ...raceBody(fact),
    qualifying_closes_at: instant(fact.qualifyingClosesAt),
  }),
  'race-closed': (fact) => ({ ...raceBody(fact), qualifier_count: fact.qualifierCount }),
  'race-started': (fact) => ({ ...raceBody(fact), qualifier_count: fact.entrantCount }),
  'race-completed': (fact) => ({
    ...raceBody(fact),
    scored_count: fact.scoredCount,
    winner_agent_version_id: fact.winnerAgentVersionId,
    winner_score: fact.winnerScore,
    promoted_agent_version_id: fact.promotedAgentVersionId,
    released_at: instant(fact.releasedAt),
  }),
  'race-cancelled': (fact) => ({ ...raceBody(fact), reason: fact.reason }),
  'top-changed': (fact) => ({
    suite_id: fact.suiteId,
    race_id: fact.raceId,
    agent_version_id: fact.agentVersionId,
    miner_hotkey: fact.minerHotkey,
    score: fact.score,
    reason: fact.reason,
  }),
};

function versionBody(fact: Fact<'submission-accepted'>): PublicEventBody<'submission-accepted'> {
  return {
    agent_version_id: fact.agentVersionId,
    agent_name: fact.agentName,
    miner_hotkey: fact.minerHotkey,
    suite_id: fact.suiteId,
  };
}

function runBody(fact: Fact<'run-claimed'>): PublicEventBody<'run-claimed'> {
  return {
    eval_run_id: fact.evalRunId,
    agent_version_id: fact.agentVersionId,
    suite_id: fact.suiteId,
    phase: fact.phase,
    race_id: fact.raceId,
    validator_hotkey: fact.validatorHotkey,
  };
}

function raceBody({ raceId, suiteId, raceNumber }: z.output<typeof race>) {
  return { race_id: raceId, suite_id: suiteId, race_number: raceNumber };
}

export function instant(ms: number): string {
  return new Date(ms).toISOString();
}

export function scoreOfMicro(micro: number | null): number | null {
  return micro === null ? null : micro / microPerUnit;
}

/** The key under which the end of a run is told, now or at its race's release. */
export const runEndKey = (evalRunId: string) => `run-ended:${evalRunId}`;

/** What versions before published and nobody was told of: streams and outboxes may still hold it. */
const untold: ReadonlySet<string> = new Set([
  'run-started',
  'version-cancelled',
  'version-discarded',
  'work-item-closed',
]);

/**
 * What a fact means, which is nothing where it is known that no one is told of it. One that lacks something
 * is a defect. So is one of another name: a coordinator of a version to come publishes it and knows what it
 * means, and it is left to such a one.
 */
export function projectFact(
  { subject, body, msgId }: Pick<Delivery, 'body' | 'msgId' | 'subject'>,
  terms: ReleaseTerms,
): Projection {
  const type = subject.replace(/^fact\./, '');
  if (untold.has(type)) return {};
  if (!isPublic(type)) throw unreadable({ type, id: msgId }, 'no fact of this name is known here');
  return { ...told(type, body, msgId), ...releaseOf(type, body, terms) };
}

function isPublic(type: string): type is FactName {
  return Object.hasOwn(facts, type);
}

function told<T extends FactName>(type: T, given: unknown, msgId: string): Projection {
  const fact = facts[type].parse(given) as Fact<T>;
  const body = bodies[type](fact);
  if (body === undefined) return {};
  const key = 'evalRunId' in fact && type === 'run-ended' ? runEndKey(fact.evalRunId) : msgId;
  const event = { key, type: type as PublicEventType, body, atMs: fact.at } as Tidings;
  return { tidings: tidings(event) };
}

function releaseOf(type: FactName, body: unknown, terms: ReleaseTerms): Projection {
  switch (type) {
    case 'submission-accepted': {
      const { agentVersionId: id, at: submittedMs } = version.parse(body);
      const dueMs = submittedMs + terms.codePrivateMs;
      return { release: { kind: 'CODE', id, dueMs, reason: 'AGED' } };
    }
    case 'top-changed': {
      const { agentVersionId: id, at: dueMs } = facts['top-changed'].parse(body);
      return id === null ? {} : { release: { kind: 'CODE', id, dueMs, reason: 'TOP' } };
    }
    case 'race-completed': {
      const { raceId: id, releasedAt: dueMs } = facts['race-completed'].parse(body);
      return { release: { kind: 'RACE', id, dueMs, reason: null } };
    }
    case 'race-cancelled': {
      const { raceId: id, at: dueMs } = facts['race-cancelled'].parse(body);
      return { release: { kind: 'RACE', id, dueMs, reason: null } };
    }
    case 'run-ended': {
      const { phase, raceId } = facts['run-ended'].parse(body);
      return phase === 'RACE' && raceId !== null ? { endedInRace: raceId } : {};
    }
    default:
      return {};
  }
}
