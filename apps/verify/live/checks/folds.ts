import { isDeepStrictEqual } from 'node:util';
import type { Sql } from '../../../../infra/ports/sql.ts';
import { agentVersion } from '../../../../machines/agent-version/machine.ts';
import { decode } from '../../../../machines/codec.ts';
import { emission } from '../../../../machines/emission/machine.ts';
import { evaluationRun } from '../../../../machines/evaluation-run/machine.ts';
import {
  evolve,
  type Fact,
  type MachineState,
  type Model,
  unborn,
} from '../../../../machines/kernel.ts';
import { race } from '../../../../machines/race/machine.ts';
import { workItem } from '../../../../machines/work-item/machine.ts';
import { type Check, inParts } from './check.ts';
import { watchWork } from './watch-work.ts';

export interface EventRow {
  readonly key: string;
  readonly seq: number;
  readonly type: string;
  readonly payload: object;
}

interface SnapshotRow {
  readonly key: string;
  readonly seq: number;
  readonly machineVersion: number;
  readonly value: unknown;
  readonly context: unknown;
}

/** Looks at every state that a machine goes through; says what is wrong with one. */
export type Watch<C> = (
  before: MachineState<C>,
  after: MachineState<C>,
  event: EventRow,
) => string | undefined;

/** INV-49, and what must hold at every event and not only at the end. */
export const foldChecks: readonly Check[] = [
  foldCheck('eval', agentVersion),
  foldCheck('eval', workItem),
  foldCheck('eval', evaluationRun),
  foldCheck('race', race),
  foldCheck('emission', emission),
  {
    id: 'INV-01',
    rule: 'at every event a work item has as many leases as it may have, with growing fences',
    of: 'rt.event',
    find: inParts('eval', (sql, part) =>
      brokenFolds(sql, { kind: 'eval', part, model: workItem, watch: watchWork }),
    ),
  },
  {
    id: 'INV-49',
    rule: 'there is no snapshot without events',
    of: 'rt.snapshot',
    find: (sql) => sql`
      select s.kind, s.part, s.machine, s.key
      from rt.snapshot s
      where not exists (
        select from rt.event e
        where e.kind = s.kind and e.part = s.part and e.machine = s.machine and e.key = s.key)`,
  },
];

function foldCheck<C, F extends Fact>(kind: string, model: Model<C, F>): Check {
  return {
    id: 'INV-49',
    rule: `the snapshot of every ${model.name} is the fold of its events`,
    of: 'rt.snapshot',
    find: inParts(kind, (sql, part) => brokenFolds(sql, { kind, part, model })),
  };
}

interface Place<C, F extends Fact> {
  readonly kind: string;
  readonly part: number;
  readonly model: Model<C, F>;
  /** Instead of the comparison with the snapshot. */
  readonly watch?: () => Watch<C>;
}

/** Events of one page; a machine whose events go on beyond it waits for the next. */
const pageEvents = 5_000;

async function brokenFolds<C, F extends Fact>(
  sql: Sql,
  place: Place<C, F>,
): Promise<readonly object[]> {
  const found: object[] = [];
  let open: readonly EventRow[] = [];
  for (let after: EventRow | undefined; ; ) {
    const page = await eventsAfter(sql, place, after);
    const last = page.at(-1);
    const byKey = [...Map.groupBy([...open, ...page], ({ key }) => key)];
    const isEnd = last === undefined || page.length < pageEvents;
    const whole = isEnd ? byKey : byKey.slice(0, -1);
    open = isEnd ? [] : (byKey.at(-1)?.[1] ?? []);
    found.push(...(await brokenMachines(sql, place, whole)));
    if (isEnd) return found;
    after = last;
  }
}

async function eventsAfter<C, F extends Fact>(
  sql: Sql,
  { kind, part, model }: Place<C, F>,
  after: EventRow | undefined,
): Promise<readonly EventRow[]> {
  return await sql<EventRow[]>`
    select key, seq::float8 as seq, type, payload
    from rt.event
    where kind = ${kind} and part = ${part} and machine = ${model.name}
      and (key, seq) > (${after?.key ?? ''}, ${after?.seq ?? 0})
    order by key, seq
    limit ${pageEvents}`;
}

async function brokenMachines<C, F extends Fact>(
  sql: Sql,
  place: Place<C, F>,
  machines: readonly (readonly [key: string, events: readonly EventRow[]])[],
): Promise<readonly object[]> {
  const { kind, part, model, watch } = place;
  const said = (key: string, what: string) => ({ machine: model.name, key, part, what });
  if (watch !== undefined) {
    return machines.flatMap(([key, events]) => {
      const what = flawOfStates(model, events, watch());
      return what === undefined ? [] : [said(key, what)];
    });
  }
  const snapshots = await sql<SnapshotRow[]>`
    select key, seq::float8 as seq, machine_version as "machineVersion", value, context
    from rt.snapshot
    where kind = ${kind} and part = ${part} and machine = ${model.name}
      and key = any(${machines.map(([key]) => key)}::text[])`;
  const byKey = new Map(snapshots.map((row) => [row.key, row]));
  return machines.flatMap(([key, events]) => {
    const what = flawOfSnapshot(model, byKey.get(key), events);
    return what === undefined ? [] : [said(key, what)];
  });
}

function flawOfSnapshot<C, F extends Fact>(
  model: Model<C, F>,
  snapshot: SnapshotRow | undefined,
  events: readonly EventRow[],
): string | undefined {
  if (snapshot === undefined) return 'it has no snapshot';
  const gap = events.findIndex(({ seq }, index) => seq !== index + 1);
  if (gap >= 0) return `event ${gap + 1} has number ${events[gap]?.seq}`;
  if (snapshot.seq !== events.length) {
    return `the snapshot is of event ${snapshot.seq} of ${events.length}`;
  }
  const folded = foldOf(model, events);
  if (typeof folded === 'string') return folded;
  const stored = decode(model, snapshot);
  return isDeepStrictEqual(stored, folded)
    ? undefined
    : 'the snapshot differs from the fold of the events';
}

function foldOf<C, F extends Fact>(
  model: Model<C, F>,
  events: readonly EventRow[],
): MachineState<C> | string {
  let state = unborn(model);
  for (const event of events) {
    const next = evolved(model, state, event);
    if (typeof next === 'string') return next;
    state = next;
  }
  return state;
}

function flawOfStates<C, F extends Fact>(
  model: Model<C, F>,
  events: readonly EventRow[],
  watch: Watch<C>,
): string | undefined {
  let state = unborn(model);
  for (const event of events) {
    const next = evolved(model, state, event);
    if (typeof next === 'string') return next;
    const flaw = watch(state, next, event);
    if (flaw !== undefined) return `${flaw} at event ${event.seq}`;
    state = next;
  }
  return undefined;
}

/** The payload was written by this very model: whether it still fits is what is checked here. */
function evolved<C, F extends Fact>(
  model: Model<C, F>,
  state: MachineState<C>,
  event: EventRow,
): MachineState<C> | string {
  try {
    return evolve(model, state, { ...event.payload, type: event.type } as unknown as F);
  } catch (error) {
    return `event ${event.seq} cannot be: ${error instanceof Error ? error.message : error}`;
  }
}
