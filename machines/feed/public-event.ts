import { z } from 'zod';

const instant = z.iso.datetime({ precision: 3 });
const score = z.number().min(0).max(1);
/** Of a window of races: the anchor, and how far on average the version was from each race's own. */
const overall = z.number().min(-1).max(2);
const suiteId = z.number().int();

const version = {
  agent_version_id: z.guid(),
  agent_name: z.string(),
  miner_hotkey: z.string(),
  suite_id: suiteId,
};
const run = {
  eval_run_id: z.guid(),
  agent_version_id: z.guid(),
  suite_id: suiteId,
  phase: z.enum(['QUALIFYING', 'RACE']),
  race_id: z.guid().nullable(),
  validator_hotkey: z.string(),
};
const race = { race_id: z.guid(), suite_id: suiteId, race_number: z.number().int() };

/** What the public is told of each kind of fact, as it goes over the wire (contract.md, section 8). */
const bodies = {
  'submission-accepted': version,
  'version-eligible': { ...version, qualifying_score: score.nullable() },
  'run-claimed': run,
  /** Of a race run only once its race is released or cancelled: until then nobody may know of it. */
  'run-ended': {
    ...run,
    status: z.enum(['SUCCESS', 'FAILED', 'TIMED_OUT', 'STALE', 'CANCELLED']),
    validator_score: score.nullable(),
  },
  'race-opened': { ...race, qualifying_closes_at: instant },
  'race-closed': { ...race, qualifier_count: z.number().int() },
  'race-started': { ...race, qualifier_count: z.number().int() },
  'race-completed': {
    ...race,
    scored_count: z.number().int(),
    winner_agent_version_id: z.guid(),
    winner_score: overall,
    promoted_agent_version_id: z.guid().nullable(),
    /** When its runs, tasks and scores become public. */
    released_at: instant,
  },
  'race-cancelled': { ...race, reason: z.string().nullable() },
  'top-changed': {
    suite_id: suiteId,
    /** Null when no race made the change: the top was discarded or banned, or the suite switched. */
    race_id: z.guid().nullable(),
    agent_version_id: z.guid().nullable(),
    miner_hotkey: z.string().nullable(),
    score: overall.nullable(),
    reason: z.string().nullable(),
  },
  'code-released': {
    ...version,
    version_number: z.number().int(),
    code_sha256: z.string(),
    release_reason: z.enum(['TOP', 'AGED']),
  },
  /** The database went back to an earlier state, and operators have accepted what that lost. */
  'history-restored': {
    branch: z.number().int().min(1),
    /** The newest event before this one that still holds: what came after it, to whom it came, never was. */
    last_kept_cursor: z.number().int().min(0),
  },
} as const;

export type PublicEventType = keyof typeof bodies;
export const publicEventTypes = Object.keys(bodies) as [PublicEventType, ...PublicEventType[]];

/** Of several types any of their bodies: they have no field in common. */
export type PublicEventBody<T extends PublicEventType> = T extends PublicEventType
  ? z.input<z.ZodObject<(typeof bodies)[T]>>
  : never;

/** What every event has: its place in the feed and when the fact came about. */
const place = { cursor: z.number().int().min(1), at: instant };

const shape = <T extends PublicEventType>(type: T) =>
  z.object({ ...place, type: z.literal(type), ...bodies[type] });

/** One event as it is served and delivered. */
export const publicEvent = z.discriminatedUnion('type', [
  shape('submission-accepted'),
  shape('version-eligible'),
  shape('run-claimed'),
  shape('run-ended'),
  shape('race-opened'),
  shape('race-closed'),
  shape('race-started'),
  shape('race-completed'),
  shape('race-cancelled'),
  shape('top-changed'),
  shape('code-released'),
  shape('history-restored'),
]);
export type PublicEvent = z.infer<typeof publicEvent>;

/**
 * The first cursor of each branch of the history after the first one: above all that a lost branch can
 * have given out, as its fences and epochs are. Within a branch cursors have no gap.
 */
export const firstCursorOf = (branch: number) => branch * 2 ** 32;

/** An event that has no place in the feed yet. */
export interface Tidings<T extends PublicEventType = PublicEventType> {
  /** One event for each key, whoever tells it and however often. */
  readonly key: string;
  readonly type: T;
  readonly body: PublicEventBody<T>;
  /** Unix milliseconds. */
  readonly atMs: number;
}

/** Made once: zod writes and compiles a reader for each new schema, which costs more than reading. */
const bodyShapes = new Map<PublicEventType, z.ZodType>(
  publicEventTypes.map((type) => [type, z.object(bodies[type])]),
);

/** Drops whatever the public is not told; throws where something is missing. */
export function tidings<T extends PublicEventType>(told: Tidings<T>): Tidings<T> {
  const body = bodyShapes.get(told.type)?.parse(told.body) as PublicEventBody<T>;
  return { ...told, body };
}

/** An event as it stands in the feed. */
export interface StoredEvent {
  readonly cursor: number;
  readonly type: string;
  readonly atMs: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** One line of JSON, the same in the stream and in deliveries. */
export function eventText({ cursor, type, atMs, body }: StoredEvent): string {
  return JSON.stringify({ cursor, type, at: new Date(atMs).toISOString(), ...body });
}
