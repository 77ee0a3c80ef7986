import { agentVersion } from '../../machines/agent-version/machine.ts';
import { decode } from '../../machines/codec.ts';
import { evaluationRun } from '../../machines/evaluation-run/machine.ts';
import type { Fact, MachineState, Model } from '../../machines/kernel.ts';
import { workItem } from '../../machines/work-item/machine.ts';
import type { SnapshotRow } from '../runtime/partition-actor.ts';
import type { Aggregate, Entity } from './aggregate.ts';

export type StoredSnapshot = Omit<SnapshotRow, 'closed'>;

/** By version. */
export function aggregatesOf(rows: readonly StoredSnapshot[]): ReadonlyMap<string, Aggregate> {
  const ofVersions = Map.groupBy(rows, ({ actorKey }) => actorKey);
  return new Map([...ofVersions].map(([versionId, own]) => [versionId, aggregateOf(own)]));
}

/** Of the races that its work is of. */
export function racesOf({ items }: Aggregate): readonly string[] {
  return [...items.values()].flatMap(({ state: { context } }) => context.raceId ?? []);
}

function aggregateOf(rows: readonly StoredSnapshot[]): Aggregate {
  const [version] = entitiesOf(agentVersion, rows).values();
  if (version === undefined) throw new Error(`${rows[0]?.actorKey} has work but no version`);
  return { version, items: entitiesOf(workItem, rows), runs: entitiesOf(evaluationRun, rows) };
}

function entitiesOf<C, F extends Fact>(
  model: Model<C, F>,
  rows: readonly StoredSnapshot[],
): Map<string, Entity<MachineState<C>>> {
  return new Map(
    rows
      .filter(({ machine }) => machine === model.name)
      .map((row) => [row.key, { state: decode(model, row), seq: row.seq }]),
  );
}
