import type { Prng } from '../kernel/prng.ts';
import { checkQuietly, checkRaces } from '../oracle/quiet-checks.ts';
import { checkReplay } from '../oracle/replay-check.ts';
import { SimMiner } from './miner.ts';
import { SimOperator } from './operator.ts';
import type { SimSession } from './sim-session.ts';
import { SimValidator } from './validator.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** Of whoever looks for what time alone makes due: bundles, see sim-services.ts. */
const slowestLookMs = 35_000;
/** A claim that everybody told to wait, and a run that goes on to its limit, by clocks that outages hold up. */
const lastRunMs = 480_000;
/** An operator asks again and again for what is not done yet, and then takes it back. */
const longestOrderMs = 300_000;
const minerCount = 4;
const validatorCount = 4;

export interface SeasonOptions {
  readonly days: number;
  readonly hasFaults: boolean;
}

interface RaceRow {
  readonly id: string;
  readonly status: string;
  readonly closesAtMs: number;
}

/**
 * Race days as the world plays them: a busy morning, a close with pins around it, a race, and a quiet
 * evening in which everything is checked. Only what is busy takes time; between it the domain's clock
 * moves on from one instant at which something is due to the next (decision 0016).
 */
export class Season {
  readonly #session: SimSession;
  readonly #options: SeasonOptions;
  readonly #random: Prng;
  readonly #miners: readonly SimMiner[];
  readonly #validators: readonly SimValidator[];
  readonly #operator: SimOperator;
  /** Orders under way: one that is carried out late would be taken for the effect of a replay. */
  #meddling = 0;
  readonly #checkedRaces = new Set<string>();
  daysPlayed = 0;

  constructor(session: SimSession, options: SeasonOptions) {
    this.#session = session;
    this.#options = options;
    this.#random = session.kernel.randomFor('season');
    const deps = session.participants;
    const overheard = () => session.model.liveRuns().map(({ evalRunId }) => evalRunId);
    this.#miners = people(minerCount, (number) => new SimMiner(deps, 'miner', number));
    this.#validators = people(
      validatorCount,
      (number) => new SimValidator(deps, number, overheard),
    );
    this.#operator = new SimOperator(deps, 'operator', 1);
  }

  async play(): Promise<void> {
    // Hosts whose clocks are wrong for good are no fault: whoever is asked answers in time all the same.
    if (!this.#options.hasFaults) this.#session.faults.skewClocks();
    for (let day = 0; day < this.#options.days && !this.#isBroken; day += 1) {
      await this.#day();
      this.daysPlayed += 1;
    }
  }

  get #isBroken(): boolean {
    return this.#session.violations.found.length > 0;
  }

  async #day(): Promise<void> {
    const race = await this.#openRace();
    if (race === undefined) return;
    await this.#morning(race);
    if (this.#isBroken) return;
    await this.#close(race);
    if (this.#isBroken) return;
    await this.#race(race);
    if (this.#isBroken) return;
    await this.#evening();
    if (this.#isBroken) return;
    await this.#jumpTo(race.closesAtMs + dayMs - 5 * hourMs);
  }

  async #openRace(): Promise<RaceRow | undefined> {
    const found = await this.#untilRace((races) =>
      races.some(({ status }) => status === 'QUALIFYING_OPEN'),
    );
    const race = found?.find(({ status }) => status === 'QUALIFYING_OPEN');
    if (race === undefined) this.#wrong('INV-26', 'no race opened');
    return race;
  }

  async #morning(race: RaceRow): Promise<void> {
    this.#startFaults();
    for (const miner of this.#miners) void miner.submit();
    if (this.#random.happens(350)) this.#meddle(race.id);
    await this.#work('QUALIFYING', this.#random.between(20_000, 45_000));
    await this.#heal();
  }

  async #close(race: RaceRow): Promise<void> {
    const { kernel } = this.#session;
    await this.#jumpTo(race.closesAtMs - 3_000);
    if (this.#random.happens(500)) this.#startFaults();
    for (const miner of this.#miners) if (this.#random.happens(600)) void miner.pin();
    await kernel.run({ ms: 8_000 });
    await this.#heal();
    const isClosed = ({ id, status }: RaceRow) => id === race.id && status !== 'QUALIFYING_OPEN';
    const races = await this.#untilRace((all) => all.some(isClosed));
    if (races === undefined) this.#wrong('INV-30', `race ${race.id} did not close`);
  }

  async #race(race: RaceRow): Promise<void> {
    const isOver = ({ id, status }: RaceRow) =>
      id === race.id && (status === 'RACE_COMPLETE' || status === 'RACE_CANCELLED');
    this.#startFaults();
    if (this.#random.happens(350)) this.#meddle(race.id);
    for (const validator of this.#validators) void validator.askForWeights();
    // Too late: whoever races is fixed.
    for (const miner of this.#miners) if (this.#random.happens(250)) void miner.pin();
    await this.#work('RACE', this.#random.between(20_000, 45_000));
    await this.#heal();
    for (let round = 0; round < 8; round += 1) {
      const races = await this.#untilRace((all) => all.some(isOver), 8_000);
      if (races !== undefined) return await this.#countEnd(race.id);
      await this.#work('RACE', 30_000);
      await this.#session.kernel.run({ ms: 1_000 });
    }
    this.#wrong('INV-30', `race ${race.id} does not end`);
  }

  async #countEnd(raceId: string): Promise<void> {
    const { sql, participants } = this.#session;
    const [row] = await sql<{ end: string }[]>`
      select coalesce(cancel_reason, status) as end from race where race_id = ${raceId}`;
    participants.counters.add(`races ended: ${row?.end}`);
  }

  /** Everything ends or is taken, and then is looked through. */
  async #evening(): Promise<void> {
    const { kernel, model } = this.#session;
    for (const validator of this.#validators) {
      void validator.askForWeights();
      void validator.lookBack();
    }
    await this.#workOff();
    let hasJumped = false;
    for (let round = 0; round < 20; round += 1) {
      await kernel.run({ ms: 2_500 });
      const isQuiet = model.liveRuns().length === 0 && (await this.#outboxSize()) === 0;
      if (isQuiet) break;
      if (round <= 4) continue;
      hasJumped = true;
      await this.#jumpOnce(kernel.domainNowMs + hourMs);
    }
    // What became due on the way is told and published at the next look.
    if (hasJumped) await kernel.run({ ms: slowestLookMs });
    await this.#untilPublished();
    // Whoever came back late gets partitions of others, which have no owner for a moment.
    await this.#session.untilHealthy();
    const { sql, history, violations } = this.#session;
    await checkQuietly(sql, history, violations);
    await checkRaces(sql, this.#checkedRaces, violations);
    this.#session.participants.calibration.settle([...model.runs.values()]);
    // Once for each seed: by then the streams hold the most, and it costs about a twentieth of a day.
    const isLast = this.daysPlayed + 1 === this.#options.days;
    if (!isLast || this.#isBroken) return;
    const isOrdered = await kernel.run({ ms: longestOrderMs, isDone: () => this.#meddling === 0 });
    if (!isOrdered) return this.#wrong('SIM', 'an order does not come to an end');
    await checkReplay(this.#session);
  }

  /** Whatever waits is offered to somebody sooner or later: nothing is left that nobody is given. */
  async #workOff(): Promise<void> {
    const { model } = this.#session;
    for (let round = 0; round < 8 && model.openItems('QUALIFYING') > 0; round += 1) {
      await this.#work('QUALIFYING', 60_000);
    }
    const left = model.openItems('QUALIFYING');
    if (left > 0 && !this.#isBroken)
      this.#wrong('INV-47', `${left} versions wait and nobody is given them`);
  }

  /** Validators work until there is nothing left of the phase, or for so long. */
  async #work(phase: 'QUALIFYING' | 'RACE', ms: number): Promise<void> {
    const { kernel, model, violations } = this.#session;
    const startedMs = kernel.nowMs;
    const leastMs = phase === 'QUALIFYING' ? 12_000 : 4_000;
    const isEnough = () => {
      const tookMs = kernel.nowMs - startedMs;
      if (violations.found.length > 0 || tookMs > ms) return true;
      return tookMs > leastMs && model.openItems(phase) === 0;
    };
    for (const validator of this.#validators)
      if (!validator.isWorking) void validator.work(isEnough);
    const isDone = () => isEnough() && this.#validators.every(({ isWorking }) => !isWorking);
    // A frozen validator that is told to wait by everybody takes its time, and so does a long run that goes on.
    if (!(await kernel.run({ ms: ms + lastRunMs, isDone }))) {
      this.#wrong('SIM', 'a validator does not come to an end');
    }
  }

  #meddle(raceId: string): void {
    const { history } = this.#session;
    const versionIds = [...history.submissions.keys()].slice(-8);
    const hotkeys = [...this.#miners, ...this.#validators].map(({ name }) => name);
    const meddling = { hotkeys, versionIds, raceId, suiteIds: [1, 2] };
    // Two orders at a time may come in any order to those who carry them out.
    for (let count = this.#random.happens(300) ? 2 : 1; count > 0; count -= 1) {
      this.#meddling += 1;
      void this.#operator.meddle(meddling).finally(() => {
        this.#meddling -= 1;
      });
    }
  }

  #startFaults(): void {
    if (this.#options.hasFaults) this.#session.faults.start();
  }

  async #heal(): Promise<void> {
    this.#session.faults.stop();
    await this.#session.untilHealthy();
  }

  /** To that instant of the domain, with a stop wherever something is due on the way. */
  async #jumpTo(targetMs: number): Promise<void> {
    const { kernel } = this.#session;
    for (let round = 0; kernel.domainNowMs < targetMs && round < 200; round += 1) {
      await this.#jumpOnce(targetMs);
    }
    if (kernel.domainNowMs < targetMs) this.#wrong('SIM', 'time does not pass');
  }

  async #jumpOnce(targetMs: number): Promise<void> {
    const { kernel, cluster } = this.#session;
    const outlooks = cluster.hosts.map((host) => host.outlook());
    if (outlooks.every(({ isIdle }) => isIdle)) {
      const dues = outlooks.flatMap(({ nextDueMs }) => nextDueMs ?? []);
      const toMs = Math.min(targetMs, ...dues);
      const byMs = toMs - kernel.domainNowMs;
      if (byMs > 0) {
        kernel.jump(byMs);
        this.#session.weather.jumped(byMs);
      }
    }
    await kernel.run({ ms: 700 });
  }

  async #untilRace(
    isWanted: (races: readonly RaceRow[]) => boolean,
    withinMs = 30_000,
  ): Promise<readonly RaceRow[] | undefined> {
    const { kernel } = this.#session;
    for (const startedMs = kernel.nowMs; kernel.nowMs - startedMs < withinMs; ) {
      const races = await this.#races();
      if (isWanted(races)) return races;
      await kernel.run({ ms: 500 });
    }
    return undefined;
  }

  async #races(): Promise<readonly RaceRow[]> {
    const { sql } = this.#session;
    return await sql<RaceRow[]>`
      select race_id as id, status,
             (extract(epoch from qualifying_closes_at) * 1000)::float8 as "closesAtMs"
      from race order by race_number`;
  }

  /** Faults may have ended whoever looks, each time before his first look since the last evening. */
  async #untilPublished(): Promise<void> {
    const { kernel, sql } = this.#session;
    const untilMs = kernel.nowMs + slowestLookMs;
    const isDue = async () => {
      const rows = await sql`
        select from race r
        where r.status = 'RACE_COMPLETE' and r.released_at <= rt.clock()
          and not exists (select from race_bundle b where b.race_id = r.race_id)
        union all
        select from public_release p where p.told_at is null and p.due_at <= rt.clock()`;
      return rows.length > 0;
    };
    while (kernel.nowMs < untilMs && (await isDue())) await kernel.run({ ms: 2_500 });
  }

  async #outboxSize(): Promise<number> {
    const { sql } = this.#session;
    const [row] = await sql<{ count: number }[]>`select count(*)::int as count from rt.outbox`;
    return row?.count ?? 0;
  }

  #wrong(invariant: string, text: string): void {
    this.#session.violations.add(invariant, text);
  }
}

function people<T>(count: number, make: (number: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, index) => make(index + 1));
}
