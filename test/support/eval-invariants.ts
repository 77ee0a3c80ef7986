import type { Aggregate } from '../../actors/lease-manager/aggregate.ts';
import type { EventRow } from '../../actors/runtime/partition-actor.ts';
import { agentVersion } from '../../machines/agent-version/machine.ts';
import { decode } from '../../machines/codec.ts';
import { evaluationRun, isLive, type RunState } from '../../machines/evaluation-run/machine.ts';
import { fold, type Model } from '../../machines/kernel.ts';
import { aggregateScore } from '../../machines/scoring/aggregate.ts';
import { workItem } from '../../machines/work-item/machine.ts';
import type { EvalWorld } from './eval-world.ts';

/** What holds of an eval partition after every step of every history. */
export function checkWork({ items, runs }: Aggregate): void {
  for (const { state } of items.values()) {
    const { live, included, requiredSuccesses, workItemId } = state.context;
    const own = [...runs.values()]
      .map((run) => run.state)
      .filter((run) => run.context.workItemId === workItemId);
    const liveRuns = own.filter(isLive);
    const includedRuns = own.filter((run) => run.value === 'success' && run.context.isIncluded);
    must('INV-01', live.length + included.length <= requiredSuccesses || state.value !== 'open');
    must(
      'INV-01',
      new Set(liveRuns.map((run) => run.context.validatorHotkey)).size === liveRuns.length,
    );
    must(
      'INV-01',
      same(
        live,
        liveRuns.map((run) => run.context),
      ),
    );
    must('INV-11', included.length <= requiredSuccesses);
    must('INV-11', (state.value === 'closed') === (included.length === requiredSuccesses));
    must(
      'INV-12',
      same(
        included,
        includedRuns.map((run) => run.context),
      ),
    );
    must('INV-12', new Set(included.map((each) => each.validatorHotkey)).size === included.length);
    must('INV-12', new Set(includedRuns.map((run) => placeOf(run, runs))).size === included.length);
  }
}

/** While every ban has been told: what is open goes on without those that are banned. */
export function checkBans({ items }: Aggregate, banned: ReadonlySet<string>): void {
  for (const { state } of items.values()) {
    const { included } = state.context;
    const isHeard = included.some(({ validatorHotkey }) => banned.has(validatorHotkey));
    must('banned validators have no say in open work', state.value !== 'open' || !isHeard);
  }
}

/** The first of the runs that this one followed: each in the place of the one that it judged again. */
function placeOf({ context }: RunState, runs: Aggregate['runs']): string {
  const judged = runs.get(context.rejudges?.evalRunId ?? '')?.state;
  return judged === undefined ? context.evalRunId : placeOf(judged, runs);
}

export function checkVersion({ version, items }: Aggregate): void {
  const { scores, eligibleAt } = version.state.context;
  for (const { state } of items.values()) {
    if (state.context.phase === 'RACE' || state.context.rejudges !== null) continue;
    const expected =
      state.value === 'closed'
        ? aggregateScore(state.context.included.map(({ scoreMicro }) => scoreMicro))
        : null;
    must('INV-14', (scores.mean ?? null) === (expected?.mean ?? null));
  }
  must(
    'INV-13',
    (eligibleAt !== null) === (version.state.value === 'eligible') ||
      version.state.value === 'discarded',
  );
}

export function checkEnds({ runs }: Aggregate, ended: Map<string, unknown>): void {
  for (const [evalRunId, { state }] of runs) {
    const { scoreMicro, tally, expectedItems } = state.context;
    if (state.value === 'success') {
      must('INV-15', scoreMicro === Math.round(tally.rewardMicro / expectedItems));
    }
    if (isLive(state)) continue;
    const { isIncluded: _, exclusionReason: __, workItemId, fence, ...frozen } = state.context;
    // What judged a run again moves once, to where it takes that run's place.
    const place = frozen.rejudges === null ? { workItemId, fence } : {};
    const now = JSON.stringify([state.value, frozen, place]);
    const before = ended.get(evalRunId) ?? now;
    must('INV-05', before === now);
    ended.set(evalRunId, now);
  }
}

export function checkFolds(world: EvalWorld): void {
  for (const model of [agentVersion, workItem, evaluationRun] as const) {
    checkFold(world, model as unknown as Model<unknown, never>);
  }
}

function checkFold(world: EvalWorld, model: Model<unknown, never>): void {
  const events = Map.groupBy(eventsOf(world, model.name), ({ key }) => key);
  const newest = new Map(
    world.decisions
      .flatMap(({ changes }) => changes?.snapshots ?? [])
      .filter(({ machine }) => machine === model.name)
      .map((row) => [row.key, row]),
  );
  for (const [key, rows] of events) {
    const facts = rows.map(({ type, payload }) => ({ ...(payload as object), type }) as never);
    const snapshot = newest.get(key);
    if (snapshot === undefined) throw new Error(`no snapshot of ${key}`);
    must(
      'sequence',
      rows.every(({ seq }, index) => seq === index + 1),
    );
    must('INV-49', snapshot.seq === rows.length);
    // Through JSON, as the database would give it back.
    const stored = JSON.parse(JSON.stringify(snapshot));
    must('INV-49', JSON.stringify(decode(model, stored)) === JSON.stringify(fold(model, facts)));
    must('a snapshot is small', JSON.stringify(stored).length < 4096);
  }
}

export function eventsOf(world: EvalWorld, machine: string): EventRow[] {
  return world.decisions
    .flatMap(({ changes }) => changes?.events ?? [])
    .filter((event) => event.machine === machine);
}

function same(
  held: readonly { readonly evalRunId: string }[],
  found: readonly { readonly evalRunId: string }[],
): boolean {
  const ids = (each: readonly { readonly evalRunId: string }[]) =>
    each
      .map(({ evalRunId }) => evalRunId)
      .sort()
      .join();
  return ids(held) === ids(found);
}

export function must(what: string, holds: boolean): void {
  if (!holds) throw new Error(`${what} does not hold`);
}
