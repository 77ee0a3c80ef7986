import type { LogFields } from '../../infra/ports/log.ts';
import { encode } from '../../machines/codec.ts';
import { evolve, unborn } from '../../machines/kernel.ts';
import { evalPartitionOf, racePartitionOf } from '../../machines/partition-of.ts';
import type { RaceContext, RaceFact } from '../../machines/race/facts.ts';
import { type RaceState, race } from '../../machines/race/machine.ts';
import type { EffectivePolicy } from '../../machines/race/policy-overrides.ts';
import { isOfEarlierActivation } from '../../machines/suite/activation.ts';
import type { DailyClose } from '../../machines/time/pacific-noon.ts';
import type { evalMessages } from '../lease-manager/messages.ts';
import { isNothing } from '../runtime/is-nothing.ts';
import type { Changes, EventRow, OutboxRow } from '../runtime/partition-actor.ts';
import type { Grounds, OpenReign } from './grounds.ts';
import type { RaceFact as PublicFact } from './messages.ts';
import type { RaceEntity, RacesOfPartition } from './race-state.ts';

/** Derives ids: the same namespace and name give the same id. */
export interface Ids {
  uuidV5(namespace: string, name: string): string;
}

/** The namespace of every id that the race partition derives. */
export const idNamespace = '0b6c3c0e-4f4d-5f0a-9d38-6a1f2d0e7c55';

export interface DraftEnv {
  readonly part: number;
  readonly races: RacesOfPartition;
  readonly grounds: Grounds;
  /** Where neither an operator nor the suite says more. */
  readonly configured: EffectivePolicy;
  readonly close: DailyClose;
  readonly ids: Ids;
  /** The keyed order in which a race draws its tasks. */
  readonly rank: (raceId: string, text: string) => string;
  /** Since when the partition has its owner without a break. */
  readonly servedSinceMs: number;
  readonly nowMs: number;
}

/** What must be as it was read when the commit happens. */
export interface Hold {
  readonly race_id: string | null;
  readonly suite_id: number;
  readonly suite_is_active: boolean;
  /** Of instants 0 is one that never was. */
  readonly suite_activated_at_ms: number;
  readonly top_fell_at_ms?: number;
  readonly field_md5?: string;
  readonly results_md5?: string;
  readonly awaits_order?: boolean;
  readonly policy_md5?: string;
}

type Row = Readonly<Record<string, unknown>>;

/** A line of the log. */
export interface Warning {
  readonly message: string;
  readonly fields: LogFields;
}

/**
 * What one command is about to change. Nothing of it is seen by anyone before `adopt`, so a decision
 * that fails half-way leaves no trace.
 */
export class Draft {
  readonly nowMs: number;
  readonly grounds: Grounds;
  readonly env: DraftEnv;
  readonly #working = new Map<string, RaceEntity>();
  readonly #events: EventRow[] = [];
  readonly #outbox: OutboxRow[] = [];
  readonly #operations: Record<string, Row[]> = {};
  readonly #warnings: Warning[] = [];
  readonly #holds: Hold[] = [];
  #isReignSettled = false;

  constructor(env: DraftEnv) {
    this.env = env;
    this.nowMs = env.nowMs;
    this.grounds = env.grounds;
  }

  derivedId(name: string): string {
    return this.env.ids.uuidV5(idNamespace, name);
  }

  race(raceId: string): RaceState | undefined {
    return this.#entity(raceId)?.state;
  }

  /** Those in memory, as this draft leaves them; among them what the batch ended. */
  known(): readonly RaceState[] {
    const raceIds = new Set([...this.env.races.ids(), ...this.#working.keys()]);
    return [...raceIds].flatMap((raceId) => this.race(raceId) ?? []);
  }

  unfinished(): readonly RaceState[] {
    return this.known().filter(isUnfinished);
  }

  isActive(suiteId: number): boolean {
    return this.grounds.suites.get(suiteId)?.isActive === true;
  }

  activatedAtMs(suiteId: number): number | null {
    return this.grounds.suites.get(suiteId)?.activatedAtMs ?? null;
  }

  /** Not so for a race of before a switch, though its suite may be active again. */
  isOfActiveSuite({ suiteId, openedAt }: RaceContext): boolean {
    const activatedAtMs = this.activatedAtMs(suiteId);
    return this.isActive(suiteId) && !isOfEarlierActivation(openedAt, activatedAtMs, this.nowMs);
  }

  /** A reign ends once, by the owner of its suite's races. */
  mayEndReign({ suiteId }: OpenReign): boolean {
    const isSettled = this.#isReignSettled || this.env.races.isReignSettled;
    return racePartitionOf(suiteId) === this.env.part && !isSettled;
  }

  /** What was read of the reign is history for the rest of the batch. */
  settleReign(): void {
    this.#isReignSettled = true;
  }

  /** The race as the facts leave it. */
  record(raceId: string, suiteId: number, facts: readonly RaceFact[]): RaceState {
    let { state, seq } = this.#entity(raceId) ?? { state: unborn(race), seq: 0 };
    for (const fact of facts) {
      state = evolve(race, state, fact);
      seq += 1;
      const { type, ...payload } = fact;
      const of = { machine: race.name, key: raceId, actorKey: actorKeyOf(suiteId) };
      this.#events.push({ ...of, seq, type, typeVersion: race.version, payload });
    }
    if (facts.length > 0) this.#working.set(raceId, { state, seq });
    return state;
  }

  /** Rows for the apply function in SQL. */
  operation(name: string, rows: readonly Row[]): void {
    this.#operations[name] = [...(this.#operations[name] ?? []), ...rows];
  }

  hold(row: Hold): void {
    this.#holds.push(row);
  }

  /** One message to each eval partition that owns one of the versions. */
  tellEval(
    type: keyof typeof evalMessages & `race-${string}`,
    agentVersionIds: readonly string[],
    body: Row,
  ): void {
    for (const [part, ids] of Map.groupBy(agentVersionIds, evalPartitionOf)) {
      const msgId = this.derivedId(`${type}:${body['raceId']}:${part}`);
      this.#outbox.push({
        msgId,
        subject: `evt.eval.${part}.${type}`,
        body: { ...body, agentVersionIds: ids },
      });
    }
  }

  /** A public fact: never anything under embargo. */
  publish(name: PublicFact, key: string, body: Row): void {
    this.#outbox.push({
      msgId: this.derivedId(`fact:${name}:${key}`),
      subject: `fact.${name}`,
      body: { ...body, at: this.nowMs },
    });
  }

  /** For operators, once it is committed. */
  warn(message: string, fields: LogFields): void {
    this.#warnings.push({ message, fields });
  }

  get warnings(): readonly Warning[] {
    return this.#warnings;
  }

  /** Lets later decisions of the batch see the changes, and says what is to be written. */
  adopt(): Changes | undefined {
    for (const [raceId, entity] of this.#working) this.env.races.set(raceId, entity);
    if (this.#isReignSettled) this.env.races.settleReign();
    const snapshots = [...this.#working].map(([key, { state, seq }]) => {
      const actorKey = actorKeyOf(state.context.suiteId);
      return { machine: race.name, key, actorKey, seq, ...encode(race, state) };
    });
    const changes = {
      events: this.#events,
      snapshots,
      operations: this.#operations,
      outbox: this.#outbox,
    };
    if (isNothing(changes)) return undefined;
    for (const row of this.#holds) this.operation('race_hold', [{ ...row }]);
    return changes;
  }

  #entity(raceId: string): RaceEntity | undefined {
    return (
      this.#working.get(raceId) ?? this.env.races.get(raceId) ?? this.grounds.finished.get(raceId)
    );
  }
}

export function isUnfinished({ value }: RaceState): boolean {
  return race.openValues.includes(value);
}

function actorKeyOf(suiteId: number): string {
  return `suite/${suiteId}`;
}

/** The least that a change of a race depends on. */
export function holdOf(draft: Draft, { context: { raceId, suiteId } }: RaceState): Hold {
  return {
    race_id: raceId,
    suite_id: suiteId,
    suite_is_active: draft.isActive(suiteId),
    suite_activated_at_ms: draft.activatedAtMs(suiteId) ?? 0,
  };
}

/** As the apply function reads instants. */
export function instant(ms: number): string {
  return new Date(ms).toISOString();
}
