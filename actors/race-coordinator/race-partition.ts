import type { z } from 'zod';
import type { Logger } from '../../infra/ports/log.ts';
import { nextStepOf, stepDue, waitsForOrders } from '../../machines/race/decide.ts';
import type { RaceState } from '../../machines/race/machine.ts';
import type { Command, Decision, PartitionActor, Reply } from '../runtime/partition-actor.ts';
import { unreadable } from '../runtime/unreadable.ts';
import { Draft, type DraftEnv, idNamespace, isUnfinished, type Warning } from './draft.ts';
import type { Grounds } from './grounds.ts';
import { handlers, wantedBy } from './handlers.ts';
import type { RacesOfPartition } from './race-state.ts';
import type { IdleSuite, RaceStore } from './store.ts';

/** How often a running race is asked whether its work is done, should no message say so. */
const lookEveryMs = 2_000;

export interface RacePartitionDeps extends Omit<DraftEnv, 'grounds' | 'nowMs'> {
  readonly races: RacesOfPartition;
  readonly store: Pick<RaceStore, 'grounds'>;
  /** A suite that was active without a race when the partition was loaded. */
  readonly suiteWithoutRace: IdleSuite | undefined;
  readonly log: Pick<Logger, 'warn'>;
}

/**
 * The single writer of the races of one partition's suites, and of the reigns that they decide.
 *
 * 1. Memory holds the unfinished races alone; everything else is read for each batch, and the commit
 *    refuses decisions on what has changed since.
 * 2. Time and the tables are enough: a message only makes things happen sooner.
 */
export class RacePartition implements PartitionActor {
  readonly #deps: RacePartitionDeps;
  #grounds: Grounds | undefined;
  #suiteWithoutRace: IdleSuite | undefined;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #servedSinceMs: number;
  /** Of decisions that are not committed yet. */
  #warnings: Warning[] = [];

  constructor(deps: RacePartitionDeps) {
    this.#deps = deps;
    this.#suiteWithoutRace = deps.suiteWithoutRace;
    this.#servedSinceMs = deps.servedSinceMs;
  }

  async prepare(commands: readonly Command[], nowMs: number): Promise<void> {
    const waiting = this.#races().filter((race) =>
      waitsForOrders(race, nowMs, this.#servedSinceMs),
    );
    const raceIdsWaiting = new Set(waiting.map(({ context }) => context.raceId));
    this.#grounds = await this.#deps.store.grounds(wantedBy(commands), raceIdsWaiting);
  }

  begin(): void {
    this.rollback();
  }

  decide(command: Command, nowMs: number): Decision {
    if (this.#grounds === undefined) throw new Error('nothing was read');
    const servedSinceMs = this.#servedSinceMs;
    const draft = new Draft({ ...this.#deps, servedSinceMs, grounds: this.#grounds, nowMs });
    const reply = this.#answer(draft, command);
    // A refusal has no effect, whatever was drafted on the way to it.
    const changes = reply.kind === 'fault' ? undefined : draft.adopt();
    if (changes === undefined) return { reply };
    this.#warnings.push(...draft.warnings);
    return { reply, changes };
  }

  commit(): void {
    this.#deps.races.commit(({ state }) => !isUnfinished(state));
    this.#lookAfterSuite();
    for (const { message, fields } of this.#warnings.splice(0)) {
      this.#deps.log.warn(message, fields);
    }
  }

  rollback(): void {
    this.#deps.races.rollback();
    this.#warnings = [];
  }

  answerFromMemory(): undefined {
    return undefined;
  }

  due(nowMs: number): readonly Command[] {
    const commands = this.#races().flatMap((race) => this.#stepOf(race, nowMs));
    return [...commands, ...this.#opening(), ...this.#looks(nowMs)];
  }

  nextDueMs(): number | undefined {
    const steps = this.#races().flatMap((race) => nextStepOf(race)?.atMs ?? []);
    return steps.length === 0 ? undefined : Math.min(...steps);
  }

  /** Instants of races are promised to nobody's heartbeat. But messages were given to nobody meanwhile. */
  extendDeadlines(_outageMs: number, overAtMs: number | undefined): void {
    this.#servedSinceMs = Math.max(this.#servedSinceMs, overAtMs ?? this.#servedSinceMs);
  }

  takeFlush(): undefined {
    return undefined;
  }

  stats(): Readonly<Record<string, number>> {
    const races = this.#races();
    const runningRaces = races.filter(({ value }) => value === 'raceRunning').length;
    return { unfinishedRaces: races.length, runningRaces };
  }

  #answer(draft: Draft, command: Command): Reply {
    const handler = handlers[command.type];
    if (handler === undefined) throw new Error(`no race command ${command.type}`);
    const body = handler.request.safeParse(command.body);
    // No caller waits whom a refusal would reach, and it would be the end of the message.
    if (!body.success) throw unreadable(command, shown(body.error));
    return handler.handle(draft, body.data);
  }

  #races(): readonly RaceState[] {
    return this.#deps.races.durable().map(({ state }) => state);
  }

  #stepOf(race: RaceState, nowMs: number): readonly Command[] {
    const { raceId } = race.context;
    const step = stepDue(race, nowMs);
    return step === null ? [] : [this.#own(`${step}-due`, raceId, { raceId })];
  }

  #opening(): readonly Command[] {
    if (this.#suiteWithoutRace === undefined) return [];
    const { suiteId, raceCount, activatedAtMs } = this.#suiteWithoutRace;
    // What it opens is the race of whichever suite is active then; this one may be active again later.
    return [this.#own('suites-due', `${suiteId}:${raceCount}:${activatedAtMs}`, {})];
  }

  #looks(nowMs: number): readonly Command[] {
    if (nowMs - this.#lookedAtMs < lookEveryMs) return [];
    this.#lookedAtMs = nowMs;
    return this.#races()
      .filter((race) => race.value === 'raceRunning' && stepDue(race, nowMs) === null)
      .map(({ context: { raceId } }) => this.#own('look-at-work', raceId, { raceId }));
  }

  /** Until the suite has a race, or another one is active. */
  #lookAfterSuite(): void {
    const suiteId = this.#suiteWithoutRace?.suiteId;
    if (suiteId === undefined) return;
    const isActive = this.#grounds?.suites.get(suiteId)?.isActive === true;
    const hasRace = this.#races().some(({ context }) => context.suiteId === suiteId);
    if (hasRace || !isActive) this.#suiteWithoutRace = undefined;
  }

  /**
   * One id for each step of each race: attempts that led to nothing leave no trace of it, and what
   * was committed once is never done twice.
   */
  #own(type: string, of: string, body: object): Command {
    const id = this.#deps.ids.uuidV5(idNamespace, `${type}:${of}`);
    return { id, type, body, account: 'system', trace: {} };
  }
}

function shown(error: z.ZodError): string {
  return error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
}
