import { activateSuite } from '../../../apps/edge/routes/admin/activate-suite.ts';
import { applyRejudging } from '../../../apps/edge/routes/admin/apply-rejudging.ts';
import { banHotkey } from '../../../apps/edge/routes/admin/ban-hotkey.ts';
import { cancelRace } from '../../../apps/edge/routes/admin/cancel-race.ts';
import { cancelRejudging } from '../../../apps/edge/routes/admin/cancel-rejudging.ts';
import { changePolicy } from '../../../apps/edge/routes/admin/change-policy.ts';
import { closeQualifying } from '../../../apps/edge/routes/admin/close-qualifying.ts';
import { createRejudging } from '../../../apps/edge/routes/admin/create-rejudging.ts';
import { discardVersion } from '../../../apps/edge/routes/admin/discard-version.ts';
import { excludeRun } from '../../../apps/edge/routes/admin/exclude-run.ts';
import { includeRun } from '../../../apps/edge/routes/admin/include-run.ts';
import { reclaimRun } from '../../../apps/edge/routes/admin/reclaim-run.ts';
import { reinstateVersion } from '../../../apps/edge/routes/admin/reinstate-version.ts';
import { startRace } from '../../../apps/edge/routes/admin/start-race.ts';
import { unbanHotkey } from '../../../apps/edge/routes/admin/unban-hotkey.ts';
import { randomId } from '../../../infra/ids/ids.ts';
import type { SimAnswer } from '../service/sim-edge.ts';
import { Participant } from './participant.ts';

export interface Meddling {
  /** Of miners and validators. */
  readonly hotkeys: readonly string[];
  readonly versionIds: readonly string[];
  readonly raceId: string;
  readonly suiteIds: readonly number[];
}

const body = { reason: 'simulated' };

/** Gives orders at awkward moments, and takes some of them back at once. */
export class SimOperator extends Participant {
  /** Of a hundred. */
  readonly #habits: readonly (readonly [number, (meddling: Meddling) => Promise<void>])[] = [
    [20, ({ versionIds }) => this.#discard(versionIds)],
    [18, ({ hotkeys }) => this.#ban(hotkeys)],
    [18, () => this.#exclude()],
    [13, () => this.#reclaim()],
    [12, ({ suiteIds }) => this.#switch(suiteIds)],
    [11, ({ versionIds }) => this.#judgeAgain(versionIds)],
    [3, () => this.#changePolicy()],
    [3, ({ raceId }) => this.#hurry(raceId)],
    [2, ({ raceId }) => this.#cancel(raceId)],
  ];

  async meddle(meddling: Meddling): Promise<void> {
    await this.sleep(1_000, 25_000);
    this.deps.history.pins.meddled();
    let roll = this.random.below(100);
    for (const [weight, act] of this.#habits) {
      roll -= weight;
      if (roll < 0) return await act(meddling);
    }
  }

  async #discard(versionIds: readonly string[]): Promise<void> {
    const id = this.random.choose(versionIds);
    if (id === undefined) return;
    const params = { agent_version_id: id };
    await this.#order(discardVersion, { params, body });
    if (await this.#regrets()) await this.#order(reinstateVersion, { params, body });
  }

  async #ban(hotkeys: readonly string[]): Promise<void> {
    const hotkey = this.random.choose(hotkeys);
    if (hotkey === undefined) return;
    await this.#order(banHotkey, { params: { hotkey }, body });
    await this.sleep(0, 10_000);
    await this.#order(unbanHotkey, { params: { hotkey }, body });
  }

  async #exclude(): Promise<void> {
    const runs = [...this.deps.model.runs.values()];
    const run = this.random.choose(runs.filter(({ end }) => end?.type === 'SUCCEEDED'));
    if (run === undefined) return;
    const params = { eval_run_id: run.evalRunId };
    await this.#order(excludeRun, { params, body });
    if (await this.#regrets()) await this.#order(includeRun, { params, body });
  }

  async #reclaim(): Promise<void> {
    const run = this.random.choose(this.deps.model.liveRuns());
    if (run === undefined) return;
    await this.#order(reclaimRun, { params: { eval_run_id: run.evalRunId }, body });
  }

  /** Mostly by mistake: the one that was active is back before everybody has heard of it. */
  async #switch(suiteIds: readonly number[]): Promise<void> {
    const rounds = this.random.happens(800) ? suiteIds.toReversed() : suiteIds.slice(1);
    const isHasty = this.random.happens(500);
    const orders: Promise<unknown>[] = [];
    for (const suiteId of rounds) {
      const order = this.#order(activateSuite, { params: { suite_id: String(suiteId) }, body });
      if (!isHasty) await order;
      orders.push(order);
      await this.sleep(0, isHasty ? 20 : 4_000);
    }
    await Promise.all(orders);
  }

  async #judgeAgain(versionIds: readonly string[]): Promise<void> {
    const id = this.random.choose(versionIds);
    if (id === undefined) return;
    const asked = { ...body, agent_version_id: id };
    const answer = await this.#order(createRejudging, { body: asked });
    if (answer?.status !== 200) return;
    const { rejudging_id: rejudgingId } = answer.body as { rejudging_id: string };
    const params = { rejudging_id: rejudgingId };
    for (let tries = 0; tries < 4; tries += 1) {
      await this.sleep(1_000, 20_000);
      const applied = await this.#order(applyRejudging, { params, body });
      if (applied?.status === 200) return;
    }
    await this.#order(cancelRejudging, { params, body });
  }

  async #changePolicy(): Promise<void> {
    const changes = this.random.choose([
      { margin_initial: 0.02, margin_half_life_days: 1 },
      { emission_baseline_burn_rate: 0.75 },
      { elimination_share: 0.2, score_window_races: 2 },
      { margin_initial: null, emission_baseline_burn_rate: null, elimination_share: null },
    ]);
    await this.#order(changePolicy, { body: { ...changes, ...body } });
  }

  async #cancel(raceId: string): Promise<void> {
    await this.#order(cancelRace, { params: { race_id: raceId }, body });
  }

  async #hurry(raceId: string): Promise<void> {
    const params = { race_id: raceId };
    await this.#order(this.random.happens(500) ? closeQualifying : startRace, { params, body });
  }

  /** Half of the time, and as often at once as after everybody has heard of the order. */
  async #regrets(): Promise<boolean> {
    if (this.random.happens(500)) return false;
    if (this.random.happens(500)) await this.sleep(0, 8_000);
    return true;
  }

  async #order(endpoint: { readonly path: string }, asked: object): Promise<SimAnswer | undefined> {
    // Under a key every repeat is the same order; without, each is a new one.
    const commandId = this.random.happens(500) ? { commandId: randomId() } : {};
    const answer = await this.insist(endpoint, { ...asked, ...commandId }, 5);
    const name = endpoint.path.split('/').at(-1);
    this.deps.counters.add(`order ${name} ${answer?.status ?? 'unknown'}`);
    return answer;
  }
}
