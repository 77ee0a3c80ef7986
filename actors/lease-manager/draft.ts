import type { VersionFact } from '../../machines/agent-version/facts.ts';
import { agentVersion, type VersionState } from '../../machines/agent-version/machine.ts';
import { encode } from '../../machines/codec.ts';
import type { RunFact } from '../../machines/evaluation-run/facts.ts';
import { evaluationRun, type RunState } from '../../machines/evaluation-run/machine.ts';
import { evolve, type Fact, type MachineState, type Model, unborn } from '../../machines/kernel.ts';
import { racePartitionOf } from '../../machines/partition-of.ts';
import type { EvalPolicy } from '../../machines/types.ts';
import type { WorkFact } from '../../machines/work-item/facts.ts';
import { type WorkState, workItem } from '../../machines/work-item/machine.ts';
import type { RaceMessageType } from '../race-coordinator/messages.ts';
import { isNothing } from '../runtime/is-nothing.ts';
import type {
  Changes,
  Command,
  EventRow,
  OutboxRow,
  SnapshotRow,
} from '../runtime/partition-actor.ts';
import type { Aggregate, Entity, Ledger } from './aggregate.ts';
import { type Ids, idNamespace, nthId } from './ids.ts';
import type { EvalFact } from './messages.ts';
import { type PartitionState, type RaceWork, raceOf } from './partition-state.ts';
import { RaceGate } from './race-gate.ts';
import { runRow, versionRow, workRow } from './read-rows.ts';

export interface DraftEnv {
  readonly part: number;
  readonly state: PartitionState;
  readonly policy: EvalPolicy;
  readonly ids: Ids;
  readonly nowMs: number;
}

interface Working {
  version: Entity<VersionState>;
  readonly items: Map<string, Entity<WorkState>>;
  readonly runs: Map<string, Entity<RunState>>;
  readonly touchedItems: Set<string>;
  readonly touchedRuns: Set<string>;
  isVersionTouched: boolean;
}

/**
 * What one command is about to change. Nothing of it is seen by anyone before `adopt`, so a decision
 * that fails half-way leaves no trace.
 */
export class Draft {
  readonly nowMs: number;
  readonly policy: EvalPolicy;
  readonly state: PartitionState;
  readonly #env: DraftEnv;
  readonly #command: Command;
  readonly #working = new Map<string, Working>();
  readonly #ledgers = new Map<string, Ledger>();
  readonly #events: EventRow[] = [];
  readonly #outbox: OutboxRow[] = [];
  readonly #operations: Record<string, Readonly<Record<string, unknown>>[]> = {};
  readonly #gate = new RaceGate();
  #actingHotkey: string | undefined;
  #idCount = 0;

  constructor(env: DraftEnv, command: Command) {
    this.#env = env;
    this.#command = command;
    this.nowMs = env.nowMs;
    this.policy = env.policy;
    this.state = env.state;
  }

  newId(): string {
    this.#idCount += 1;
    return nthId(this.#env.ids, this.#command.id, this.#idCount);
  }

  derivedId(name: string): string {
    return this.#env.ids.uuidV5(idNamespace, name);
  }

  /** The id of a task's result: its first half says which run it is of. */
  resultIds(evalRunId: string): (taskId: string) => string {
    return this.#env.ids.idsWithin(evalRunId);
  }

  aggregate(versionId: string): Aggregate | undefined {
    return this.#working.get(versionId) ?? this.state.aggregates.get(versionId);
  }

  run(versionId: string, evalRunId: string): RunState | undefined {
    return this.aggregate(versionId)?.runs.get(evalRunId)?.state;
  }

  item(versionId: string, workItemId: string): WorkState {
    const item = this.aggregate(versionId)?.items.get(workItemId);
    if (item === undefined) throw new Error(`no work item ${workItemId} of version ${versionId}`);
    return item.state;
  }

  ledger(evalRunId: string): Ledger {
    const ledger = this.#ledgers.get(evalRunId) ?? this.state.ledgers.get(evalRunId);
    if (ledger === undefined) throw new Error(`the ledger of run ${evalRunId} was not loaded`);
    return ledger;
  }

  setLedger(evalRunId: string, ledger: Ledger): void {
    this.#ledgers.set(evalRunId, ledger);
  }

  recordVersion(versionId: string, facts: readonly VersionFact[]): void {
    if (facts.length === 0) return;
    const working = this.#open(versionId);
    working.version = this.#record(agentVersion, versionId, versionId, {
      from: working.version,
      facts,
    });
    working.isVersionTouched = true;
    const { suiteId } = working.version.state.context;
    this.#gate.holdForVersion(suiteId, facts);
    if (facts.some(({ type }) => type === 'BECAME_ELIGIBLE')) {
      this.operation('eligible_version', { agent_version_id: versionId, suite_id: suiteId });
    }
  }

  recordItem(versionId: string, workItemId: string, facts: readonly WorkFact[]): void {
    if (facts.length === 0) return;
    const working = this.#open(versionId);
    const from = working.items.get(workItemId) ?? { state: unborn(workItem), seq: 0 };
    working.items.set(workItemId, this.#record(workItem, workItemId, versionId, { from, facts }));
    working.touchedItems.add(workItemId);
  }

  recordRun(versionId: string, evalRunId: string, facts: readonly RunFact[]): void {
    if (facts.length === 0) return;
    const working = this.#open(versionId);
    const from = working.runs.get(evalRunId) ?? { state: unborn(evaluationRun), seq: 0 };
    working.runs.set(evalRunId, this.#record(evaluationRun, evalRunId, versionId, { from, facts }));
    working.touchedRuns.add(evalRunId);
  }

  /** A row for the apply function in SQL; `cmd` lets it name the command that it refuses. */
  operation(name: string, row: Readonly<Record<string, unknown>>): void {
    const rows = this.#operations[name] ?? [];
    rows.push({ ...row, cmd: this.#command.id });
    this.#operations[name] = rows;
  }

  /**
   * The command stands only while this key is not banned: it was proved when the request came, and the
   * message of a ban may still be on its way here.
   */
  requireUnbanned(hotkey: string): void {
    this.#actingHotkey = hotkey;
  }

  /** The command stands only while this race runs; work without a race needs none. */
  requireRunning(work: RaceWork): void {
    this.#gate.holdRunning(raceOf(work));
  }

  /** A durable message to the owner of a suite's races. */
  tellRaces(suiteId: number, type: RaceMessageType, body: Readonly<Record<string, unknown>>): void {
    const subject = `evt.race.${racePartitionOf(suiteId)}.${type}`;
    this.#outbox.push({ msgId: this.newId(), subject, body });
  }

  /** A public fact: never anything under embargo. */
  publish(name: EvalFact, body: Readonly<Record<string, unknown>>): void {
    this.#outbox.push({
      msgId: this.newId(),
      subject: `fact.${name}`,
      body: { ...body, at: this.nowMs },
    });
  }

  /** Lets later decisions of the batch see the changes, and says what is to be written. */
  adopt(): Changes | undefined {
    const snapshots: SnapshotRow[] = [];
    for (const [versionId, working] of this.#working) {
      snapshots.push(...this.#snapshots(versionId, working));
      this.#rows(working);
      this.#tellOfRaceWork(versionId, working);
      const { version, items, runs, touchedItems, touchedRuns } = working;
      const touched = { itemIds: touchedItems, runIds: touchedRuns };
      this.state.put(versionId, { version, items, runs }, touched);
    }
    for (const [evalRunId, ledger] of this.#ledgers) this.state.ledgers.set(evalRunId, ledger);
    const changes = {
      events: this.#events,
      snapshots,
      operations: this.#operations,
      outbox: this.#outbox,
    };
    if (isNothing(changes)) return undefined;
    for (const row of this.#gate.rows()) this.operation('race_gate', { ...row });
    if (this.#actingHotkey !== undefined) this.operation('act', { hotkey: this.#actingHotkey });
    return changes;
  }

  #open(versionId: string): Working {
    const known = this.#working.get(versionId);
    if (known !== undefined) return known;
    const aggregate = this.state.aggregates.get(versionId);
    const working: Working = {
      version: aggregate?.version ?? { state: unborn(agentVersion), seq: 0 },
      items: new Map(aggregate?.items),
      runs: new Map(aggregate?.runs),
      touchedItems: new Set(),
      touchedRuns: new Set(),
      isVersionTouched: false,
    };
    this.#working.set(versionId, working);
    return working;
  }

  #record<C, F extends Fact>(
    model: Model<C, F>,
    key: string,
    actorKey: string,
    step: { readonly from: Entity<MachineState<C>>; readonly facts: readonly F[] },
  ): Entity<MachineState<C>> {
    let { state, seq } = step.from;
    for (const fact of step.facts) {
      state = evolve(model, state, fact);
      seq += 1;
      const { type, ...payload } = fact;
      const event = { machine: model.name, key, actorKey, seq, type };
      this.#events.push({ ...event, typeVersion: model.version, payload });
    }
    return { state, seq };
  }

  #snapshots(versionId: string, working: Working): SnapshotRow[] {
    const rows: SnapshotRow[] = [];
    if (working.isVersionTouched) {
      rows.push(snapshot(agentVersion, versionId, versionId, working.version));
    }
    for (const id of working.touchedItems) {
      const item = working.items.get(id);
      if (item !== undefined) rows.push(snapshot(workItem, id, versionId, item));
    }
    for (const id of working.touchedRuns) {
      const run = working.runs.get(id);
      if (run !== undefined) rows.push(snapshot(evaluationRun, id, versionId, run));
    }
    return rows;
  }

  /** The read models' rows follow from the machines, so no decision can forget one. */
  #rows(working: Working): void {
    const { part } = this.#env;
    // Starts, progress and results change nothing that the version's row shows.
    if (working.isVersionTouched || working.touchedItems.size > 0) {
      this.operation('agent_version', versionRow(working));
    }
    for (const id of working.touchedItems) {
      const item = working.items.get(id);
      if (item === undefined) continue;
      this.#gate.hold(raceOf(item.state.context));
      this.operation('work_item', workRow(item.state, part));
    }
    for (const id of working.touchedRuns) {
      const run = working.runs.get(id);
      if (run === undefined) continue;
      this.#gate.hold(raceOf(run.state.context));
      this.operation('evaluation_run', runRow(run.state, part));
    }
  }

  /** The coordinator waits for the end of all work of its race, and for nothing once it is over. */
  #tellOfRaceWork(versionId: string, working: Working): void {
    const before = this.state.aggregates.get(versionId)?.items;
    for (const id of working.touchedItems) {
      const state = working.items.get(id)?.state;
      if (state === undefined) continue;
      const { suiteId } = state.context;
      const raceId = raceOf(state.context);
      if (raceId === null || this.state.isRaceOver(state.context)) continue;
      if (waitsAsBefore(before?.get(id)?.state, state)) continue;
      this.tellRaces(suiteId, 'work-changed', { raceId, agentVersionId: versionId });
    }
  }
}

/** Whether the work is waited for just as it was: work that opens is awaited from the start. */
function waitsAsBefore(before: WorkState | undefined, now: WorkState): boolean {
  if ((before?.value ?? 'open') !== now.value) return false;
  return (before?.context.isMinerBanned ?? false) === now.context.isMinerBanned;
}

function snapshot<C, F extends Fact>(
  model: Model<C, F>,
  key: string,
  actorKey: string,
  entity: Entity<MachineState<C>>,
): SnapshotRow {
  return { machine: model.name, key, actorKey, seq: entity.seq, ...encode(model, entity.state) };
}
