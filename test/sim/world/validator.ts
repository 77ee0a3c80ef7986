import { createHash } from 'node:crypto';
import { claimWork } from '../../../apps/edge/routes/validator/claim-work.ts';
import { showStandings } from '../../../apps/edge/routes/validator/show-standings.ts';
import { type Claimed, HeldRun } from './held-run.ts';
import type { Outcome } from './http.ts';
import { lookAtRun } from './looks.ts';
import { meddleWith } from './meddling.ts';
import { Participant } from './participant.ts';

interface ClaimBody {
  readonly eval_run_id: string;
  readonly agent_version_id: string;
  readonly phase: 'QUALIFYING' | 'RACE';
  readonly env_pack_sha256: string;
  readonly lease_expires_at: string;
}

/** Claims, works and completes like the deployed ones, with their bad habits. */
export class SimValidator extends Participant {
  /** Runs of others that this one would like to write to. */
  readonly #overheard: () => readonly string[];
  isWorking = false;

  constructor(
    deps: ConstructorParameters<typeof Participant>[0],
    number: number,
    overheard: () => readonly string[],
  ) {
    super(deps, 'validator', number);
    this.#overheard = overheard;
  }

  /** Until told that it is enough; what was begun is ended first. */
  async work(isEnough: () => boolean): Promise<void> {
    this.isWorking = true;
    while (!isEnough()) {
      const claimed = await this.#claim();
      if (claimed === undefined) await this.sleep(4_000, 9_000);
      else await new HeldRun(this, claimed).play();
      if (this.random.happens(40)) await this.#meddle();
    }
    this.isWorking = false;
  }

  async askForWeights(): Promise<void> {
    const outcome = await this.send(showStandings);
    if (outcome.kind !== 'answered' || outcome.answer.status !== 200) return;
    const { body, text } = outcome.answer;
    const { eligible, epoch_index: epoch } = body as { eligible: boolean; epoch_index: number };
    if (!eligible) return;
    this.deps.counters.add('weights told');
    this.deps.history.weights(this.name, epoch, createHash('sha256').update(text).digest('hex'));
  }

  /** Some of what it ever had must still be there. */
  async lookBack(): Promise<void> {
    const own = [...this.deps.history.claims]
      .filter(([, { validatorHotkey }]) => validatorHotkey === this.name)
      .map(([runId]) => runId);
    for (let looks = 0; looks < 2; looks += 1) {
      const runId = this.random.choose(own);
      if (runId !== undefined) await lookAtRun(this, runId);
    }
  }

  async #claim(): Promise<Claimed | undefined> {
    const count = this.random.happens(80) ? 2 : 1;
    const sentAtMs = this.deps.kernel.domainNowMs;
    const outcomes = await Promise.all(
      Array.from({ length: count }, () => this.send(claimWork, { body: {} })),
    );
    const claims = outcomes.flatMap((outcome) => this.#claimedBy(outcome));
    if (outcomes.some(({ kind }) => kind === 'unknown')) {
      this.deps.counters.add('claims whose answer was lost');
    }
    if (count === 1 && outcomes.some(isAtCapacity)) this.#checkLeak(sentAtMs);
    const [first] = claims;
    if (claims.length > 1) this.deps.counters.add('claims at once');
    return first;
  }

  #claimedBy(outcome: Outcome): Claimed[] {
    if (outcome.kind !== 'answered' || outcome.answer.status !== 200) return [];
    const claim = outcome.answer.body as ClaimBody;
    const leaseUntilMs = Date.parse(claim.lease_expires_at);
    const { eval_run_id: id, agent_version_id: versionId } = claim;
    this.deps.history.claimed(this.name, { id, versionId, leaseUntilMs });
    return [{ id, versionId, leaseUntilMs, packSha256: claim.env_pack_sha256, phase: claim.phase }];
  }

  /** A run that is another's: nothing of it may be taken from here. */
  async #meddle(): Promise<void> {
    const runId = this.random.choose(this.#overheard());
    if (runId !== undefined) await meddleWith(this, runId);
  }

  /** Who is told that it holds enough was told of what it holds, or is told of it now. */
  #checkLeak(sentAtMs: number): void {
    const { history, model, violations } = this.deps;
    for (const { evalRunId, validatorHotkey, claimedAtMs } of model.liveRuns()) {
      const isUntold = validatorHotkey === this.name && !history.claims.has(evalRunId);
      if (isUntold && claimedAtMs < sentAtMs) {
        violations.add('INV-09', `run ${evalRunId} was not given to ${this.name} again`);
      }
    }
  }
}

function isAtCapacity(outcome: Outcome): boolean {
  return outcome.kind === 'answered' && outcome.answer.status === 409;
}
