import { banHotkey } from '../../../apps/edge/routes/admin/ban-hotkey.ts';
import { cancelRace } from '../../../apps/edge/routes/admin/cancel-race.ts';
import { discardVersion } from '../../../apps/edge/routes/admin/discard-version.ts';
import { excludeRun } from '../../../apps/edge/routes/admin/exclude-run.ts';
import { reclaimRun } from '../../../apps/edge/routes/admin/reclaim-run.ts';
import { unbanHotkey } from '../../../apps/edge/routes/admin/unban-hotkey.ts';
import { Participant } from './participant.ts';

interface Meddling {
  readonly hotkeys: readonly string[];
  readonly versionIds: readonly string[];
  readonly raceId: string | undefined;
}

/** Gives orders at awkward moments. */
export class SimOperator extends Participant {
  async meddle({ hotkeys, versionIds, raceId }: Meddling): Promise<void> {
    await this.sleep(1_000, 25_000);
    this.deps.history.pins.meddled();
    const { model } = this.deps;
    const body = { reason: 'simulated' };
    const runs = [...model.runs.values()];
    const order = this.random.below(100);
    if (order < 25) {
      const id = this.random.choose(versionIds);
      if (id !== undefined)
        await this.#order(discardVersion, { params: { agent_version_id: id }, body });
    } else if (order < 45) {
      const hotkey = this.random.choose(hotkeys);
      if (hotkey === undefined) return;
      await this.#order(banHotkey, { params: { hotkey }, body });
      await this.sleep(2_000, 10_000);
      await this.#order(unbanHotkey, { params: { hotkey }, body });
    } else if (order < 70) {
      const run = this.random.choose(runs.filter(({ end }) => end?.type === 'SUCCEEDED'));
      if (run !== undefined)
        await this.#order(excludeRun, { params: { eval_run_id: run.evalRunId }, body });
    } else if (order < 95) {
      const run = this.random.choose(runs.filter(({ end }) => end === undefined));
      if (run !== undefined)
        await this.#order(reclaimRun, { params: { eval_run_id: run.evalRunId }, body });
    } else if (raceId !== undefined) {
      await this.#order(cancelRace, { params: { race_id: raceId }, body });
    }
  }

  async #order(endpoint: { readonly path: string }, asked: object): Promise<void> {
    const answer = await this.insist(endpoint, asked, 5);
    this.deps.counters.add(
      `order ${endpoint.path.split('/').at(-1)} ${answer?.status ?? 'unknown'}`,
    );
  }
}
