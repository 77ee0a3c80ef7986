import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { currentRace, type RaceAnswer, raceDetails } from '../../apps/world/days/race-answers.ts';
import { SimulatedTime } from '../../apps/world/days/simulated-time.ts';
import { Refused } from '../../apps/world/participants/refusal.ts';
import type { SignedClient } from '../../apps/world/participants/signed-client.ts';
import { signedClient } from '../../apps/world/participants/signed-client.ts';
import { submitAgent } from '../../apps/world/participants/simulated-miner.ts';
import { systemClock } from '../../infra/clock/system-clock.ts';
import { writePack } from '../../infra/packs/write-pack.ts';
import { seededChoice, signalProcess } from './coordinator-faults.ts';
import { inParallel } from './in-parallel.ts';
import { packManifest, registerKeys, type ServiceWorld } from './service-world.ts';
import { until } from './until.ts';

export interface SeasonPlan {
  readonly miners: number;
  readonly validators: number;
  readonly seed: number;
  /** Of a suite's pack, and how many of them qualify; the rest are held out for races. */
  readonly taskCount: number;
  readonly qualifyingCount: number;
  /** Faults are injected, orders are given and pins are fought over when set. */
  readonly hasFaults: boolean;
}

/** What clients of a season were told, for the checks. */
export interface SeasonHistory {
  /** Digests of the standings' bytes, by epoch. */
  readonly standings: Map<number, Set<string>>;
  /** Every accepted version, with its miner. */
  readonly submissions: Map<string, string>;
  readonly troubles: string[];
  /** How often each kind of fault or order really happened. */
  readonly counts: Map<string, number>;
}

const hourMs = 3_600_000;
const atOnce = 16;
/** Of 1,000: how often each thing happens to a run or on a day. */
const odds = {
  silentRun: 30,
  submission: 160,
  pin: 80,
  ban: 40,
  discard: 40,
  cancel: 15,
  kill: 250,
};
const readyMs = 60_000;

const claimed = z.object({
  eval_run_id: z.string(),
  agent_version_id: z.string(),
  suite_id: z.number(),
  race_id: z.string().nullable(),
  env_pack_sha256: z.string(),
});
type Claimed = z.infer<typeof claimed>;

const roster = z.object({
  problems: z.array(z.object({ metadata: z.object({ task_id: z.string(), family: z.string() }) })),
});
type Task = z.infer<typeof roster>['problems'][number]['metadata'];

const standings = z.object({ eligible: z.boolean(), epoch_index: z.number() });

/**
 * Plays race days against a real service as fast as it goes, on its simulated clock: miners submit
 * and pin, validators evaluate, processes are killed, operators meddle.
 */
export class RaceSeason {
  readonly history: SeasonHistory = {
    standings: new Map(),
    submissions: new Map(),
    troubles: [],
    counts: new Map(),
  };
  readonly time: SimulatedTime;
  readonly #world: ServiceWorld;
  readonly #plan: SeasonPlan;
  readonly #choose: (below: number) => number;
  readonly #rosters = new Map<string, Promise<readonly Task[]>>();
  #miners: readonly SignedClient[] = [];
  #validators: readonly SignedClient[] = [];
  #banned: string | undefined;
  #files = 0;

  constructor(world: ServiceWorld, plan: SeasonPlan) {
    this.#world = world;
    this.#plan = plan;
    this.#choose = seededChoice(plan.seed);
    this.time = new SimulatedTime(world.operator, systemClock);
  }

  async start(): Promise<void> {
    const { miners, validators, seed } = this.#plan;
    await this.time.read();
    const minerKeys = await registerKeys(this.#world, 'miner', { count: miners, seed });
    const validatorKeys = await registerKeys(this.#world, 'validator', { count: validators, seed });
    const { baseUrls } = this.#world.service;
    const { clock } = this.time;
    const client = (keypair: (typeof minerKeys)[number]) =>
      signedClient({ baseUrls, keypair, scheme: 'session', clock });
    this.#miners = minerKeys.map(client);
    this.#validators = validatorKeys.map(client);
    await this.switchSuite(1);
  }

  /** Another suite becomes the active one, which ends the race of the one before. */
  async switchSuite(number: number): Promise<void> {
    const { operator, dataDir } = this.#world;
    const { taskCount, qualifyingCount } = this.#plan;
    const tasks = Array.from({ length: taskCount }, (_, index) => ({
      task_id: `task-${number}-${index}`,
      family: `family-${index % 4}`,
      goal_text: `Put product ${index} into the cart.`,
    }));
    const path = join(dataDir, `season-${number}.tar.gz`);
    const { sha256 } = await writePack(path, { manifest: packManifest, tasks });
    await operator.uploadPack(path);
    const suite = z.object({ suite_id: z.number() }).parse(
      await operator.send('POST', '/v1/admin/suites', {
        benchmark_name: 'Season',
        benchmark_number: number,
        execution_kind: 'envpack',
        env_pack_sha256: sha256,
        qualifying_task_ids: tasks.slice(0, qualifyingCount).map((task) => task.task_id),
      }),
    );
    await operator.send('POST', `/v1/admin/suites/${suite.suite_id}/activate`);
    await until(async () => (await this.currentRace()) !== null, readyMs);
    this.#count('suite activated');
  }

  /** From the submissions of a day to the end of its race. */
  async playDay(day: number): Promise<RaceAnswer> {
    const race = await this.currentRace();
    if (race === null) throw new Error(`no race on day ${day}`);
    const closesAt = Date.parse(race.qualifying_closes_at);
    await this.time.advanceTo(closesAt - 3 * hourMs);
    await this.submitOfDay(day);
    await this.drain('QUALIFYING');
    if (this.#plan.hasFaults) await this.#meddle(race);
    await this.#pinsAround(closesAt);
    this.#killSometimes();
    await this.untilRace(
      race.race_id,
      (status) => status !== 'QUALIFYING_OPEN' && status !== 'QUALIFYING_CLOSED',
    );
    await this.#runRace(race.race_id, day);
    await this.askForWeights();
    return await this.#race(race.race_id);
  }

  async #runRace(raceId: string, day: number): Promise<void> {
    const isLeftOpen = this.#plan.hasFaults && day % 50 === 49;
    if (isLeftOpen) {
      this.#count('race left to its limit');
      await this.time.advanceTo(this.time.nowMs() + 20 * hourMs);
    } else {
      await this.drain('RACE');
    }
    await this.untilRace(
      raceId,
      (status) => status === 'RACE_COMPLETE' || status === 'RACE_CANCELLED',
    );
    if (this.#banned !== undefined) {
      await this.#world.operator.send('DELETE', `/v1/admin/hotkeys/${this.#banned}/ban`);
      this.#banned = undefined;
    }
  }

  /** Everybody on the first day, later some of the miners. */
  async submitOfDay(day: number): Promise<void> {
    await this.#submit(this.#miners.filter(() => day === 0 || this.#happens(odds.submission)));
  }

  /** Each of those miners, by their places. */
  async submitOf({ from, to }: { readonly from: number; readonly to: number }): Promise<void> {
    await this.#submit(this.#miners.slice(from, to));
  }

  async #submit(those: readonly SignedClient[]): Promise<void> {
    await inParallel(4, those, async (client) => {
      const number = this.#files++;
      const code = seasonCode(number);
      const agentName = `agent-${number % 3}`;
      const onEvent = () => undefined;
      const id = await this.#unlessBanned(() =>
        submitAgent({ who: 'miner', client, onEvent }, { agentName, code }),
      );
      if (id !== undefined) this.history.submissions.set(id, client.hotkey);
    });
  }

  /** All claimable work of a phase is done; some validators fall silent, and their leases end. */
  async drain(phase: 'QUALIFYING' | 'RACE'): Promise<void> {
    for (let round = 0; (await this.#claimable(phase)) > 0; round++) {
      if (round > 200) throw new Error(`${phase} work does not come to an end`);
      await inParallel(atOnce, this.#validators, async (client) => {
        await this.#work(client).catch((error: unknown) =>
          this.history.troubles.push(String(error)),
        );
      });
      if (await this.#hasSilentRuns(phase)) {
        await this.time.advanceTo(this.time.nowMs() + 301_000);
      }
    }
  }

  async #work(client: SignedClient): Promise<void> {
    const reply = await client.request('POST', '/v1/validator/work/claim', { json: {} });
    if (reply.status !== 200) return;
    const claim = claimed.parse(reply.body);
    if (this.#plan.hasFaults && this.#happens(odds.silentRun)) {
      this.#count('validator silent');
      return;
    }
    const tasks = await this.#rosterOf(client, claim);
    const results = tasks.map((task) => item(claim, task, client.hotkey));
    await client.request('POST', '/v1/validator/episode-results', { json: { results } });
    const total = results.reduce(
      (sum, { aggregate_reward: reward }) => sum + Number(reward ?? 0) * 1e6,
      0,
    );
    const score = Math.round(total) / 1e6 / tasks.length;
    const json = { terminal_status: 'SUCCESS', validator_score: score };
    const path = `/v1/validator/evaluation-runs/${claim.eval_run_id}/complete`;
    const answer = await client.request('POST', path, { json });
    this.#count(answer.status === 200 ? 'completion' : `completion ${answer.status}`);
  }

  #rosterOf(client: SignedClient, claim: Claimed): Promise<readonly Task[]> {
    const key = claim.race_id ?? `suite ${claim.suite_id}`;
    const known = this.#rosters.get(key);
    if (known !== undefined) return known;
    const asked = (async () => {
      const path = `/v1/validator/evaluation-runs/${claim.eval_run_id}/problems`;
      const { problems } = roster.parse((await client.request('GET', path)).body);
      return problems.map(({ metadata }) => metadata);
    })();
    asked.catch(() => this.#rosters.delete(key));
    this.#rosters.set(key, asked);
    return asked;
  }

  /** Orders that an operator may give at an awkward moment. */
  async #meddle(race: RaceAnswer): Promise<void> {
    const { operator } = this.#world;
    if (this.#happens(odds.ban)) {
      this.#banned = this.#miners[this.#choose(this.#miners.length)]?.hotkey;
      await operator.send('PUT', `/v1/admin/hotkeys/${this.#banned}/ban`, { reason: 'season' });
      this.#count('miner banned');
    }
    if (this.#happens(odds.discard)) {
      const versions = [...this.history.submissions.keys()].slice(-40);
      const id = versions[this.#choose(versions.length)];
      await operator
        .send('POST', `/v1/admin/agent-versions/${id}/discard`, { reason: 'season' })
        .catch((error: unknown) => this.history.troubles.push(String(error)));
      this.#count('version discarded');
    }
    if (this.#happens(odds.cancel)) {
      await operator.send('POST', `/v1/admin/races/${race.race_id}/cancel`, { reason: 'season' });
      this.#count('race cancelled by order');
    }
  }

  /** Pins and unpins of many miners while the close comes and goes. */
  async #pinsAround(closesAt: number): Promise<void> {
    await this.time.advanceTo(closesAt - 2_000);
    const closing = this.time.advanceTo(closesAt + 1_000);
    const pinning = inParallel(atOnce, this.#miners, async (client) => {
      if (!this.#happens(odds.pin)) return;
      const own = [...this.history.submissions].filter(([, hotkey]) => hotkey === client.hotkey);
      const [id] = own[this.#choose(Math.max(1, own.length))] ?? [];
      const json = { agent_version_id: id };
      const unpins = id === undefined || this.#happens(300);
      const reply = await this.#unlessBanned(() =>
        unpins
          ? client.request('DELETE', '/v1/miner/race-selection')
          : client.request('PUT', '/v1/miner/race-selection', { json }),
      );
      this.#count(`pin ${reply?.status ?? 'of a banned miner'}`);
    });
    await Promise.all([closing, pinning]);
  }

  /** Every validator asks several times at once; whoever asks is told the same in one epoch. */
  async askForWeights(): Promise<void> {
    await inParallel(32, this.#validators, async (client) => {
      const path = '/v1/validator/weight-salt';
      const { status, body, text } = await client.request('GET', path);
      if (status !== 200) return this.#count(`weights ${status}`);
      const { eligible, epoch_index: epoch } = standings.parse(body);
      if (!eligible) return this.#count('weights of an idle validator');
      const digests = this.history.standings.get(epoch) ?? new Set();
      this.history.standings.set(epoch, digests.add(sha256(text)));
      this.#count('weights');
    });
  }

  /** A banned miner cannot even open a session; that is as it should be. */
  async #unlessBanned<T>(request: () => Promise<T>): Promise<T | undefined> {
    try {
      return await request();
    } catch (error) {
      if (error instanceof Refused && error.refusal.code === 'BANNED') return undefined;
      throw error;
    }
  }

  #killSometimes(): void {
    if (!this.#plan.hasFaults || !this.#happens(odds.kill)) return;
    const { coordinators, edges } = this.#world.service;
    const all = this.#happens(800) ? coordinators : edges;
    const victim = all[this.#choose(all.length)];
    if (victim !== undefined && signalProcess(victim, 'SIGKILL')) {
      this.#count(`${victim.name.replace(/-\d+$/, '')} killed`);
    }
  }

  async currentRace(): Promise<RaceAnswer | null> {
    const answer = await this.#world.operator.get('/v1/public/races/current');
    return currentRace.parse(answer).race;
  }

  async #race(raceId: string): Promise<RaceAnswer> {
    const answer = await this.#world.operator.get(`/v1/public/races/${raceId}`);
    return raceDetails.parse(answer).race;
  }

  async untilRace(raceId: string, isWanted: (status: string) => boolean): Promise<void> {
    await until(async () => isWanted((await this.#race(raceId)).status), readyMs);
  }

  async #claimable(phase: string): Promise<number> {
    const [row] = await this.#world.sql<{ free: number }[]>`
      select coalesce(sum(required_successes - included_success_count), 0)::integer as free
      from work_item
      where state = 'OPEN' and phase = ${phase} and hold_reason is distinct from 'MINER_BANNED'`;
    return row?.free ?? 0;
  }

  async #hasSilentRuns(phase: string): Promise<boolean> {
    const rows = await this.#world.sql`
      select 1 from evaluation_run
      where status in ('CLAIMED', 'RUNNING') and phase = ${phase} limit 1`;
    return rows.length > 0;
  }

  #happens(perThousand: number): boolean {
    return this.#choose(1000) < perThousand;
  }

  #count(what: string): void {
    this.history.counts.set(what, (this.history.counts.get(what) ?? 0) + 1);
  }
}

/** The file that is submitted after so many others. */
export function seasonCode(number: number): string {
  return `CARE = 0.5\nNUMBER = ${number}\n\n\ndef act(task):\n    return task\n`;
}

/** The version's skill decides most of it, the validator a little; exact in 10^-6. */
function item(claim: Claimed, { task_id, family }: Task, hotkey: string) {
  const skill = 0.35 + 0.6 * draw(claim.agent_version_id);
  const isCorrect = draw(`${claim.agent_version_id}/${task_id}/${hotkey}`) < skill;
  const reward = 0.6 + 0.4 * draw(`${claim.agent_version_id}/${task_id}`);
  return {
    eval_run_id: claim.eval_run_id,
    env_pack_sha256: claim.env_pack_sha256,
    task_id,
    family,
    outcome: 'completed',
    verdict_correct: isCorrect,
    verdict_checks: {},
    reward_components: {},
    aggregate_reward: isCorrect ? reward.toFixed(6) : null,
    wall_seconds: 1,
    terminal_state_hash: sha256(`${claim.eval_run_id}/${task_id}`),
    ledger_uri: null,
    step_count: 1,
  };
}

function draw(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE() / 2 ** 32;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
