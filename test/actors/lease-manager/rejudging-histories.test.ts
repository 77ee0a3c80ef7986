import test from 'ava';
import fc from 'fast-check';
import { randomId } from '../../../infra/ids/ids.ts';
import {
  checkBans,
  checkEnds,
  checkFolds,
  checkVersion,
  checkWork,
  must,
} from '../../support/eval-invariants.ts';
import {
  completion,
  EvalWorld,
  episode,
  evalPolicy,
  noOrders,
  type OwnRun,
  versionIdAt,
} from '../../support/eval-world.ts';

// Histories of versions whose runs are judged again while everything else goes on.

const kinds = [
  'claim',
  'judge',
  'verdict',
  'verdict',
  'verdict',
  'succeed',
  'succeed',
  'succeed',
  'fail',
  'release',
  'open',
  'open',
  'apply',
  'apply',
  'cancel',
  'exclude',
  'include',
  'discard',
  'reinstate',
  'ban',
  'pass',
] as const;
const step = fc.record({
  do: fc.constantFrom(...kinds),
  at: fc.nat(30),
  validator: fc.nat(5),
  scoreMicro: fc.constantFrom(0, 333_333, 500_000, 1_000_000),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
const history = fc.array(step, { minLength: 20, maxLength: 60 });

const indexes = [1, 2];
const versionIds = indexes.map(versionIdAt);

class Play {
  readonly world = new EvalWorld();
  readonly runs: OwnRun[] = [];
  readonly banned = new Set<string>();
  readonly ended = new Set<string>();
  readonly rejudgings: string[] = [];

  constructor() {
    this.#tell();
    for (const index of indexes) this.world.submit(index);
    for (const validator of ['val-0', 'val-1']) {
      for (const _ of indexes) this.#succeed(this.#claim(validator, []), 500_000);
    }
  }

  take({ do: kind, at, validator, scoreMicro }: Step): void {
    const own = this.runs[at % Math.max(1, this.runs.length)];
    const hotkey = `val-${validator}`;
    const version = { agentVersionId: versionIds[at % versionIds.length] ?? '' };
    if (kind === 'claim') this.#claim(hotkey, []);
    else if (kind === 'judge') this.#claim(hotkey, this.#judgeable());
    else if (kind === 'verdict') {
      this.#succeed(this.#claim(hotkey, this.#judgeable()), scoreMicro);
    } else if (kind === 'open') this.#open(at);
    else if (kind === 'apply' || kind === 'cancel') this.#end(kind, at);
    // What ends so much is seldom done.
    else if (at > 5 && (kind === 'discard' || kind === 'ban')) return;
    else if (kind === 'discard') this.world.ok('discard-version', { ...version, reason: 'x' });
    else if (kind === 'reinstate') this.world.ok('reinstate-version', version);
    else if (kind === 'ban') this.#ban(hotkey);
    else if (kind === 'pass') this.world.pass(evalPolicy.leaseMs + 1);
    else if (own !== undefined) this.#act(kind, own, scoreMicro);
  }

  #act(kind: Step['do'], own: OwnRun, scoreMicro: number): void {
    if (kind === 'exclude') this.world.do('exclude-run', { ...own, reason: 'odd' });
    else if (kind === 'include') this.world.do('include-run', own);
    else if (kind === 'release') this.world.do('release-run', own);
    else if (kind === 'fail') {
      const failed = { terminalStatus: 'FAILED', scoreMicro: null, failureClass: 'AGENT' };
      this.world.do('complete-run', { ...own, ...completion(failed) });
    } else this.#succeed(own, scoreMicro);
  }

  #succeed(own: OwnRun | undefined, scoreMicro: number): void {
    if (own === undefined) return;
    const results = [0, 1, 2].map((index) => episode(index, { rewardMicro: scoreMicro }));
    this.world.do('append-results', { ...own, results });
    this.world.do('complete-run', { ...own, ...completion({ scoreMicro }) });
  }

  #claim(validatorHotkey: string, preferred: readonly string[]): OwnRun | undefined {
    if (this.banned.has(validatorHotkey)) return undefined;
    const claim = { validatorHotkey, validatorColdkey: null, slot: 0, preferred };
    const { reply } = this.world.do('claim-work', claim);
    const { run } = (reply.kind === 'ok' ? reply.body : { run: null }) as { run: OwnRun | null };
    if (run === null) return undefined;
    const { agentVersionId, evalRunId } = run;
    const own = { agentVersionId, evalRunId, validatorHotkey };
    this.runs.push(own);
    return own;
  }

  #judgeable(): string[] {
    return [...this.world.state.openItems.entries()]
      .map(([id, versionId]) => this.world.state.aggregates.get(versionId)?.items.get(id)?.state)
      .flatMap((item) => (item?.context.rejudges ? [item.context.workItemId] : []))
      .slice(0, 16);
  }

  #open(at: number): void {
    const counted = versionIds.flatMap((agentVersionId) => {
      const runs = this.world.state.aggregates.get(agentVersionId)?.runs.values() ?? [];
      return [...runs].flatMap(({ state: { context } }) =>
        context.isIncluded ? [{ agentVersionId, evalRunId: context.evalRunId }] : [],
      );
    });
    const runs = counted.slice(at % 3);
    if (runs.length === 0 || this.rejudgings.length > 3) return;
    const rejudgingId = randomId();
    this.rejudgings.push(rejudgingId);
    const of = { rejudgingId, agentVersionIds: versionIds };
    this.world.ok('open-rejudging', { ...of, raceIds: [], runs });
  }

  #end(kind: 'apply' | 'cancel', at: number): void {
    const rejudgingId = this.rejudgings[at % Math.max(1, this.rejudgings.length)];
    if (rejudgingId === undefined) return;
    this.ended.add(rejudgingId);
    this.#tell();
    this.world.ok(`${kind}-rejudging`, { rejudgingId, agentVersionIds: versionIds });
  }

  #ban(hotkey: string): void {
    this.banned.add(hotkey);
    this.#tell();
    this.world.ok('hotkey-banned', { hotkey });
  }

  #tell(): void {
    this.world.state.orders = {
      ...noOrders,
      bannedHotkeys: this.banned,
      endedRejudgings: this.ended,
    };
  }

  aggregates() {
    return indexes.map((index) => this.world.version(index));
  }

  /** Runs that judge others again and are nobody's success yet. */
  beside(): readonly string[] {
    return this.aggregates().flatMap(({ runs }) =>
      [...runs.values()]
        .filter(({ state: { context } }) => context.rejudges !== null && !context.isIncluded)
        .map(({ state }) => state.context.evalRunId),
    );
  }
}

test('whatever is judged again, work, scores and ends stay sound', (t) => {
  let applied = 0;
  const property = fc.property(history, (steps) => {
    const play = new Play();
    const ended = new Map<string, unknown>();
    for (const each of steps) {
      play.take(each);
      for (const aggregate of play.aggregates()) {
        checkWork(aggregate);
        checkBans(aggregate, play.banned);
        checkVersion(aggregate);
        checkEnds(aggregate, ended);
      }
    }
    checkFolds(play.world);
    for (const { items } of play.aggregates()) {
      applied += [...items.values()].filter(({ state }) => state.value === 'applied').length;
    }
  });
  fc.assert(property, { numRuns: 50 });
  t.true(applied > 0);
});

test('until it is applied, what judges again changes nothing of its version', (t) => {
  const ends: ReadonlySet<Step['do']> = new Set(['succeed', 'fail', 'release']);
  let seen = 0;
  const property = fc.property(history, (steps) => {
    const play = new Play();
    for (const each of steps) {
      const run = play.runs[each.at % Math.max(1, play.runs.length)]?.evalRunId ?? '';
      const isBeside = each.do === 'open' || (ends.has(each.do) && play.beside().includes(run));
      const before = JSON.stringify(play.aggregates().map(({ version }) => version));
      play.take(each);
      if (!isBeside) continue;
      seen += 1;
      must('beside', JSON.stringify(play.aggregates().map(({ version }) => version)) === before);
    }
  });
  fc.assert(property, { numRuns: 40 });
  t.true(seen > 0);
});
