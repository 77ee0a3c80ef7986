import { isDeepStrictEqual } from 'node:util';
import type { Sql } from '../../infra/ports/sql.ts';
import { agentVersion } from '../../machines/agent-version/machine.ts';
import { decode } from '../../machines/codec.ts';
import { evaluationRun } from '../../machines/evaluation-run/machine.ts';
import { evolve, type Fact, type MachineState, type Model, unborn } from '../../machines/kernel.ts';
import { workItem } from '../../machines/work-item/machine.ts';

interface EventRow {
  readonly seq: number;
  readonly type: string;
  readonly payload: object;
  readonly epoch: number;
  readonly atMs: number;
}

interface MachineRow {
  readonly part: number;
  readonly key: string;
  readonly seq: number;
  readonly machineVersion: number;
  readonly value: unknown;
  readonly context: unknown;
}

export interface EventViolation {
  readonly rule: string;
  readonly text: string;
}

/** Looks at every state that a machine went through; says what is wrong with one. */
type Watch<C> = (state: MachineState<C>, event: EventRow) => EventViolation | undefined;

/** Every machine of the service, folded again from its events and compared with its snapshot. */
export async function eventViolations(sql: Sql): Promise<EventViolation[]> {
  return [
    ...(await violationsOf(sql, agentVersion, () => () => undefined)),
    ...(await violationsOf(sql, workItem, watchWork)),
    ...(await violationsOf(sql, evaluationRun, () => () => undefined)),
  ];
}

async function violationsOf<C, F extends Fact>(
  sql: Sql,
  model: Model<C, F>,
  watch: () => Watch<C>,
): Promise<EventViolation[]> {
  const wrong: EventViolation[] = [];
  const eventsByKey = await readEvents(sql, model.name);
  for (const snapshot of await readSnapshots(sql, model.name)) {
    const id = `${snapshot.part}/${snapshot.key}`;
    const events = eventsByKey.get(id) ?? [];
    eventsByKey.delete(id);
    const found = machineViolations(model, { snapshot, events, watch: watch() });
    for (const { rule, text } of found) {
      wrong.push({ rule, text: `${model.name} ${snapshot.key}: ${text}` });
    }
  }
  for (const id of eventsByKey.keys()) {
    wrong.push({ rule: 'INV-49', text: `${model.name} ${id} has no snapshot` });
  }
  return wrong;
}

function machineViolations<C, F extends Fact>(
  model: Model<C, F>,
  machine: {
    readonly snapshot: MachineRow;
    readonly events: readonly EventRow[];
    readonly watch: Watch<C>;
  },
): EventViolation[] {
  const { snapshot, events, watch } = machine;
  const wrong: EventViolation[] = [];
  const add = (rule: string, text: string) => wrong.push({ rule, text });
  let state = unborn(model);
  let epoch = 0;
  for (const [index, event] of events.entries()) {
    if (event.seq !== index + 1) add('INV-49', `event ${index + 1} has number ${event.seq}`);
    if (event.epoch < epoch) add('INV-48', `event ${event.seq} is of an older epoch`);
    epoch = event.epoch;
    // The payload was written by this very model: whether it still fits is what is checked here.
    state = evolve(model, state, { ...event.payload, type: event.type } as F);
    const found = watch(state, event);
    if (found !== undefined) wrong.push(found);
  }
  if (snapshot.seq !== events.length) {
    add('INV-49', `the snapshot is of event ${snapshot.seq} of ${events.length}`);
  }
  if (!isDeepStrictEqual(decode(model, snapshot), state)) {
    add('INV-49', 'the snapshot differs from the fold of the events');
  }
  return wrong;
}

/** The rules of a work item at every single event, not only at the end. */
function watchWork(): Watch<(typeof workItem.context)['_output']> {
  let fence = 0;
  return ({ context }, { seq, type, payload }) => {
    const { live, included, requiredSuccesses } = context;
    if (live.length + included.length > requiredSuccesses) {
      return {
        rule: 'INV-01',
        text: `${live.length} live and ${included.length} included after event ${seq}`,
      };
    }
    const holders = live.map(({ validatorHotkey }) => validatorHotkey);
    if (new Set(holders).size < holders.length) {
      return { rule: 'INV-01', text: `one validator holds two runs after event ${seq}` };
    }
    if (type !== 'LEASED') return undefined;
    const before = fence;
    fence = (payload as { fence: number }).fence;
    if (fence > before) return undefined;
    return { rule: 'INV-02', text: `fence ${fence} after ${before} at event ${seq}` };
  };
}

async function readEvents(sql: Sql, machine: string): Promise<Map<string, EventRow[]>> {
  const rows = await sql<(EventRow & { id: string })[]>`
    select part || '/' || key as id, seq::float8 as seq, type, payload, epoch::float8 as epoch,
           (extract(epoch from at) * 1000)::float8 as "atMs"
    from rt.event
    where kind = 'eval' and machine = ${machine}
    order by part, key, seq`;
  return Map.groupBy(rows, ({ id }) => id);
}

async function readSnapshots(sql: Sql, machine: string): Promise<readonly MachineRow[]> {
  return await sql<MachineRow[]>`
    select part, key, seq::float8 as seq, machine_version as "machineVersion", value, context
    from rt.snapshot
    where kind = 'eval' and machine = ${machine}`;
}
