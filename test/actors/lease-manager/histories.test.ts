import test from 'ava';
import fc from 'fast-check';
import type { Aggregate } from '../../../actors/lease-manager/aggregate.ts';
import { slotKey } from '../../../actors/lease-manager/partition-state.ts';
import { agentVersion } from '../../../machines/agent-version/machine.ts';
import { isLive } from '../../../machines/evaluation-run/machine.ts';
import {
  checkEnds,
  checkFolds,
  checkVersion,
  checkWork,
  eventsOf,
  must,
} from '../../support/eval-invariants.ts';
import {
  completion,
  EvalWorld,
  episode,
  evalPolicy,
  type OwnRun,
  submission,
} from '../../support/eval-world.ts';

type Step =
  | { readonly do: 'claim'; readonly validator: number; readonly slot: number }
  | { readonly do: 'run'; readonly act: Act; readonly run: number; readonly tasks: number }
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'ban'; readonly validator: number };
type Act = 'beat' | 'results' | 'success' | 'agent-fault' | 'platform-fault' | 'release';

const { leaseMs, claimLeaseMs } = evalPolicy;
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('claim' as const),
      validator: fc.nat(4),
      slot: fc.nat(1),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('run' as const),
      act: fc.constantFrom<Act[]>(
        'beat',
        'results',
        'results',
        'success',
        'success',
        'agent-fault',
        'platform-fault',
        'release',
      ),
      run: fc.nat(20),
      tasks: fc.constantFrom(1, 2, 3),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('pass' as const),
      ms: fc.constantFrom(1, leaseMs - 1, leaseMs, leaseMs + 1, claimLeaseMs),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('ban' as const), validator: fc.nat(4) }) },
);
const history = fc.array(step, { minLength: 10, maxLength: 60 });

class Play {
  readonly world = new EvalWorld();
  readonly runs: OwnRun[] = [];
  readonly fences = new Map<string, number>();

  constructor() {
    for (const index of [1, 2, 3]) this.world.submit(index);
  }

  take(each: Step): void {
    switch (each.do) {
      case 'claim':
        this.#claim(`val-${each.validator}`, each.slot);
        break;
      case 'pass':
        this.world.pass(each.ms);
        break;
      case 'ban':
        this.world.ok('hotkey-banned', { hotkey: `val-${each.validator}` });
        break;
      case 'run':
        this.#act(each);
        break;
    }
  }

  #claim(validatorHotkey: string, slot: number): void {
    const claim = { validatorHotkey, validatorColdkey: null, slot, preferred: [] };
    const { reply } = this.world.do('claim-work', claim);
    const run =
      reply.kind === 'ok' ? (reply.body as { run: ReturnType<EvalWorld['claim']> }).run : null;
    if (run === null) return;
    const last = this.fences.get(run.workItemId) ?? 0;
    if (run.fence <= last) throw new Error(`fence ${run.fence} after ${last}`);
    this.fences.set(run.workItemId, run.fence);
    const { agentVersionId, evalRunId } = run;
    this.runs.push({ agentVersionId, evalRunId, validatorHotkey });
  }

  #act({ act, run: index, tasks }: Extract<Step, { do: 'run' }>): void {
    const own = this.runs[index % Math.max(1, this.runs.length)];
    if (own === undefined) return;
    const results = [episode(0), episode(1), episode(2)].slice(0, tasks);
    const failed = { terminalStatus: 'FAILED', scoreMicro: null };
    if (act === 'beat') this.world.do('heartbeat', own);
    else if (act === 'results') this.world.do('append-results', { ...own, results });
    else if (act === 'release') this.world.do('release-run', own);
    else if (act === 'success') this.world.do('complete-run', { ...own, ...completion() });
    else {
      const failureClass = act === 'agent-fault' ? 'AGENT' : 'PLATFORM';
      this.world.do('complete-run', { ...own, ...completion({ ...failed, failureClass }) });
    }
  }

  aggregates(): Aggregate[] {
    return [1, 2, 3].map((index) => this.world.version(index));
  }
}

test('every history keeps the invariants of leases, work and scores', (t) => {
  const property = fc.property(history, (steps) => {
    const play = new Play();
    const ended = new Map<string, unknown>();
    for (const each of steps) {
      play.take(each);
      for (const aggregate of play.aggregates()) {
        checkWork(aggregate);
        checkVersion(aggregate);
        checkEnds(aggregate, ended);
      }
      checkSlots(play);
    }
    const eligible = eventsOf(play.world, agentVersion.name).filter(
      ({ type }) => type === 'BECAME_ELIGIBLE',
    );
    if (new Set(eligible.map(({ key }) => key)).size !== eligible.length) {
      throw new Error('INV-13: a version became eligible twice');
    }
  });
  t.notThrows(() => fc.assert(property, { numRuns: 150 }));
});

test('every snapshot is the fold of its events, and every row tells the same', (t) => {
  const property = fc.property(history, (steps) => {
    const play = new Play();
    for (const each of steps) play.take(each);
    checkFolds(play.world);
  });
  t.notThrows(() => fc.assert(property, { numRuns: 60 }));
});

test('a rolled back batch leaves nothing behind', (t) => {
  const property = fc.property(history, fc.nat(30), (steps, cut) => {
    const play = new Play();
    for (const each of steps.slice(0, cut)) play.take(each);
    const before = image(play.world);
    const { world } = play;
    world.actor.begin();
    for (const each of steps.slice(cut)) decideOnly(play, each);
    world.actor.rollback();
    must('rollback', image(world) === before);
  });
  t.notThrows(() => fc.assert(property, { numRuns: 60 }));
});

/** Every live run holds its slot, and nothing else holds one. */
function checkSlots(play: Play): void {
  const runs = play.aggregates().flatMap((aggregate) => [...aggregate.runs.values()]);
  const live = runs.map(({ state }) => state).filter(isLive);
  const held = new Map(play.world.state.heldSlots.entries());
  must('INV-09', held.size === live.length);
  for (const { context } of live) {
    must('INV-09', held.get(slotKey(context)) === context.evalRunId);
  }
}

/** The same steps as one batch, without a commit. */
function decideOnly({ world, runs }: Play, each: Step): void {
  const own = runs[0];
  const decide = (type: string, body: unknown) =>
    world.actor.decide(world.command(type, body), world.nowMs);
  decide('submit-version', submission(4));
  if (each.do === 'ban') decide('hotkey-banned', { hotkey: `val-${each.validator}` });
  if (each.do === 'claim') {
    const { validator, slot } = each;
    decide('claim-work', {
      validatorHotkey: `val-${validator}`,
      validatorColdkey: null,
      slot,
      preferred: [],
    });
  }
  if (each.do === 'run' && own !== undefined) {
    decide('append-results', { ...own, results: [episode(0)] });
    decide('complete-run', {
      ...own,
      ...completion({ terminalStatus: 'FAILED', scoreMicro: null }),
    });
  }
}

function image({ state }: EvalWorld): string {
  const plain = (_: string, value: unknown) =>
    value instanceof Map ? [...value] : value instanceof Set ? [...value] : value;
  const parts = [
    ...[state.aggregates, state.openItems, state.liveRuns],
    ...[state.heldSlots, state.ledgers],
  ];
  const entries = parts.map((part) => [...part.entries()]);
  const deadlines = [...state.liveRuns.entries()].map(([id]) => [id, state.deadlines.get(id)]);
  return JSON.stringify([entries, deadlines, [...state.queueOrderMs]], plain);
}
