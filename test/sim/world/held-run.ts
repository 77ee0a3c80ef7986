import { createHash } from 'node:crypto';
import { appendEpisodeResults } from '../../../apps/edge/routes/validator/append-episode-results.ts';
import { completeRun } from '../../../apps/edge/routes/validator/complete-run.ts';
import { listRunProblems } from '../../../apps/edge/routes/validator/list-run-problems.ts';
import { recordProgress } from '../../../apps/edge/routes/validator/record-progress.ts';
import { releaseRun } from '../../../apps/edge/routes/validator/release-run.ts';
import { sendHeartbeat } from '../../../apps/edge/routes/validator/send-heartbeat.ts';
import type { CompletionAnswer } from '../oracle/client-history.ts';
import { liveRules } from '../service/settings.ts';
import type { SimAnswer } from '../service/sim-edge.ts';
import { chooseHabit, type Habit } from './habits.ts';
import { lookLater, watchRun } from './looks.ts';
import type { Participant } from './participant.ts';

export interface Claimed {
  readonly id: string;
  readonly versionId: string;
  readonly leaseUntilMs: number;
  readonly packSha256: string;
  readonly phase: 'QUALIFYING' | 'RACE';
}

interface Task {
  readonly problemId: string;
  readonly taskId: string;
  readonly family: string;
}

interface ResultAnswer {
  readonly task_id: string;
  readonly status: number;
  readonly episode_result_id: string | null;
}

const heartbeatMs = 5_000;
const leaseMs = 20_000;
/** Beyond what a run may take (settings.ts), and what it is given for outages as a rule. */
const endlessMs = 220_000;
/** More than a run may be without progress, and well within what it may take (settings.ts). */
const steadyMs = [95_000, 125_000] as const;

/** One run in a validator's hands, from the claim to whatever becomes of it. */
export class HeldRun {
  readonly #by: Participant;
  readonly #claimed: Claimed;
  readonly #habit: Habit;
  /** Of its results no two fit into one message to the owner. */
  readonly #isWide: boolean;
  #isBeating = false;
  /** The service said that the run is over or not ours. */
  #isLost = false;
  /** The end of the lease as far as this validator was told. */
  #leaseUntilMs: number;

  constructor(by: Participant, claimed: Claimed) {
    this.#by = by;
    this.#claimed = claimed;
    this.#habit = chooseHabit(by.random, by.rare);
    this.#isWide = by.rare.happens(60);
    this.#leaseUntilMs = claimed.leaseUntilMs;
  }

  async play(): Promise<void> {
    const { counters, history } = this.#by.deps;
    counters.add(`habit: ${this.#habit}`);
    if (this.#habit === 'silent') {
      // Until its work is somebody else's.
      await this.#by.sleep(leaseMs, 2 * leaseMs);
      return;
    }
    if (this.#habit === 'releases') return await this.#release();
    const beating = this.#beat();
    const tasks = await this.#roster();
    if (this.#habit === 'idles' || this.#habit === 'dawdles') await this.#stay(tasks ?? []);
    else if (tasks !== undefined) await this.#evaluate(tasks);
    this.#isBeating = false;
    await beating;
    if (!history.ends.has(this.#claimed.id)) counters.add('runs without an acknowledged end');
  }

  async #beat(): Promise<void> {
    this.#isBeating = true;
    while (this.#isBeating && !this.#isLost) {
      await this.#by.sleep(heartbeatMs - 500, heartbeatMs + 500);
      if (this.#isBeating && !this.#isLost) await this.#beatOnce();
    }
  }

  async #beatOnce(): Promise<void> {
    const sentAtMs = this.#begin();
    const outcome = await this.#by.send(sendHeartbeat, { params: this.#params, body: {} });
    if (outcome.kind !== 'answered') return;
    const { status, body } = outcome.answer;
    if (status === 200) {
      const untilMs = Date.parse((body as { lease_expires_at: string }).lease_expires_at);
      this.#by.deps.history.beaten(this.#claimed.id, sentAtMs, untilMs);
      this.#leaseUntilMs = Math.max(this.#leaseUntilMs, untilMs);
      this.#acknowledged('a heartbeat', sentAtMs);
    }
    if (status === 404) this.#wrong('INV-50', `run ${this.#claimed.id} is gone`);
    if (status === 404 || status === 409) this.#isLost = true;
  }

  /** Keeps the run for as long as it is let. */
  async #stay(tasks: readonly Task[]): Promise<void> {
    const { kernel } = this.#by.deps;
    const untilMs = kernel.nowMs + endlessMs;
    while (!this.#isLost && kernel.nowMs < untilMs) {
      if (this.#habit === 'dawdles') await this.#tellProgress(tasks);
      await this.#by.sleep(5_000, 15_000);
    }
  }

  async #evaluate(tasks: readonly Task[]): Promise<void> {
    const { random } = this.#by;
    await this.#think(tasks);
    const middle = random.between(1, tasks.length);
    for (const part of [tasks.slice(0, middle), tasks.slice(middle)]) {
      if (part.length > 0) await this.#store(part);
      await this.#by.sleep(100, 1_500);
    }
    if (this.#habit === 'repeats') await this.#store(tasks);
    if (random.happens(200)) await this.#tellProgress(tasks);
    const reason = { fails: 'sandbox crash', exploits: 'read the held-out tasks' };
    if (this.#habit === 'fails' || this.#habit === 'exploits') {
      const failure = { terminal_status: 'FAILED', failure_reason: reason[this.#habit] };
      await this.#complete(failure);
    } else await this.#succeed(tasks);
  }

  async #think(tasks: readonly Task[]): Promise<void> {
    const { deps, random } = this.#by;
    if (this.#habit === 'long') return await this.#by.sleep(leaseMs, 2.5 * leaseMs);
    if (this.#habit === 'steady') return await this.#tellFor(random.between(...steadyMs), tasks);
    await this.#by.sleep(300, this.#habit === 'slow' ? 14_000 : 3_000);
    if (this.#habit === 'freezes') {
      this.#isBeating = false;
      await this.#by.sleep(leaseMs, 2 * leaseMs);
      await this.#beatOnce();
    }
    if (this.#habit === 'barely') {
      this.#isBeating = false;
      const leftMs = this.#leaseUntilMs - deps.kernel.domainNowMs;
      await this.#by.sleep(Math.max(0, leftMs - random.between(5, 400)));
    }
  }

  async #tellFor(ms: number, tasks: readonly Task[]): Promise<void> {
    const { kernel } = this.#by.deps;
    for (const untilMs = kernel.nowMs + ms; !this.#isLost && kernel.nowMs < untilMs; ) {
      await this.#tellProgress(tasks);
      await this.#by.sleep(8_000, 25_000);
    }
  }

  async #roster(): Promise<readonly Task[] | undefined> {
    const answer = await this.#by.insist(listRunProblems, { params: this.#params });
    if (answer?.status !== 200) return undefined;
    const { problems } = answer.body as {
      problems: { problem_id: string; metadata: { task_id: string; family: string } }[];
    };
    return problems.map(({ problem_id: problemId, metadata: { task_id: taskId, family } }) => ({
      ...{ problemId, taskId, family },
    }));
  }

  async #store(tasks: readonly Task[]): Promise<void> {
    const sentAtMs = this.#begin();
    // From before they are stored until after it: no look may tell fewer than an earlier one.
    if (this.#by.random.happens(150)) void watchRun(this.#by, this.#claimed.id);
    const results = tasks.map((task) => this.#item(task));
    if (this.#isWide && tasks.length > 1) this.#by.deps.counters.add('batches in several messages');
    const answer = await this.#by.insist(appendEpisodeResults, { body: { results } }, 4);
    if (answer?.status !== 200) return;
    const told = (answer.body as { results: ResultAnswer[] }).results;
    if (told.length !== results.length) this.#wrong('INV-19', 'an answer has another length');
    for (const { status, task_id: taskId, episode_result_id: id } of told) {
      if (status !== 201) continue;
      this.#by.deps.history.stored(this.#claimed.id, taskId, id ?? '');
      this.#acknowledged('a result', sentAtMs);
    }
  }

  async #tellProgress(tasks: readonly Task[]): Promise<void> {
    const sentAtMs = this.#begin();
    const problems = tasks.map(({ problemId }) => ({ problem_id: problemId, status: 'SUCCESS' }));
    const body = { problems };
    const outcome = await this.#by.send(recordProgress, { params: this.#params, body });
    if (outcome.kind !== 'answered' || outcome.answer.status !== 200) return;
    this.#acknowledged('progress', sentAtMs);
  }

  async #succeed(tasks: readonly Task[]): Promise<void> {
    const micro = tasks.reduce((sum, task) => sum + this.#rewardMicro(task), 0);
    const score = Math.round(micro / tasks.length) / 1e6;
    const body = { terminal_status: 'SUCCESS', validator_score: score };
    const answer = await this.#complete(body);
    if (answer?.status !== 200) return;
    if (this.#by.random.happens(100)) await this.#complete(body);
    if (this.#by.random.happens(60)) await this.#contradict();
  }

  /** A second ending, which must be refused. */
  async #contradict(): Promise<void> {
    const body = { terminal_status: 'FAILED', failure_reason: 'second thoughts' };
    const answer = await this.#by.insist(completeRun, { params: this.#params, body }, 3);
    if (answer?.status === 200) this.#wrong('INV-04', `run ${this.#claimed.id} was ended twice`);
  }

  async #complete(body: object): Promise<SimAnswer | undefined> {
    this.#begin();
    const stored = this.#storedBefore();
    const answer = await this.#by.insist(completeRun, { params: this.#params, body });
    const { history, model } = this.#by.deps;
    const { id } = this.#claimed;
    if (answer?.status === 200) {
      const owner = model.runs.get(id)?.validatorHotkey;
      if (owner !== this.#by.name) this.#wrong('INV-03', `run ${id} of ${owner} was completed`);
      history.completed(id, answer.body as CompletionAnswer, answer.text);
      this.#countLong();
      if (this.#by.random.happens(300)) void lookLater(this.#by, id);
    }
    const code = (answer?.body as { error_code?: string } | undefined)?.error_code;
    // Whoever was told that all of them are kept cannot be told that some are missing.
    if (code === 'SCORE_MISMATCH' || (code === 'RESULTS_INCOMPLETE' && stored)) {
      this.#wrong('INV-17', `run ${id} was told ${answer?.text}`);
    }
    return answer;
  }

  /** Of those only, the time without progress could be counted from somewhere else and be seen to be. */
  #countLong(): void {
    const { counters, model } = this.#by.deps;
    const { ageFromMs = 0, end } = model.runs.get(this.#claimed.id) ?? {};
    const tookMs = (end?.atMs ?? 0) - ageFromMs;
    if (tookMs > liveRules.noProgressMs) counters.add('runs completed beyond NO_PROGRESS');
  }

  #storedBefore(): boolean {
    const { results } = this.#by.deps.history;
    const own = [...results.keys()].filter((key) => key.startsWith(this.#claimed.id));
    return own.length === tasksOfRun;
  }

  async #release(): Promise<void> {
    await this.#by.sleep(100, 2_000);
    this.#begin();
    await this.#by.insist(releaseRun, { params: this.#params }, 3);
  }

  /** When the request is sent; and whether it is one that may have no effect any more. */
  #begin(): number {
    const { counters, kernel, model } = this.#by.deps;
    const nowMs = kernel.domainNowMs;
    const isOver = model.runs.get(this.#claimed.id)?.end !== undefined;
    if (isOver || nowMs > this.#leaseUntilMs) counters.add('writes by an expired holder');
    return nowMs;
  }

  #acknowledged(what: string, sentAtMs: number): void {
    const by = { hotkey: this.#by.name, sentAtMs };
    this.#by.deps.history.acknowledged(what, this.#claimed.id, by);
  }

  #wrong(invariant: string, text: string): void {
    this.#by.deps.violations.add(invariant, text);
  }

  get #params() {
    return { eval_run_id: this.#claimed.id };
  }

  #item(task: Task) {
    const isExploit = this.#habit === 'exploits';
    const micro = isExploit ? 0 : this.#rewardMicro(task);
    return {
      eval_run_id: this.#claimed.id,
      env_pack_sha256: this.#claimed.packSha256,
      task_id: task.taskId,
      family: task.family,
      outcome: isExploit ? 'exploit' : 'completed',
      verdict_correct: micro > 0,
      verdict_checks: {},
      reward_components: this.#isWide ? { note: wideNote } : {},
      aggregate_reward: micro > 0 ? (micro / 1e6).toFixed(6) : null,
      wall_seconds: 1,
      terminal_state_hash: createHash('sha256').update(task.taskId).digest('hex'),
      ledger_uri: null,
      step_count: 1,
    };
  }

  /** The version's skill decides most of it, the validator a little; exact in 10^-6. */
  #rewardMicro({ taskId }: Task): number {
    const { versionId } = this.#claimed;
    const isCorrect = draw(`${versionId}/${taskId}/${this.#by.name}`) < 0.6 + 0.4 * draw(versionId);
    return isCorrect ? Math.round(1e6 * (0.7 + 0.3 * draw(`${versionId}/${taskId}`))) : 0;
  }
}

/** Over half of what one message to an owner may hold (apps/edge/evaluation/episode-batch.ts). */
const wideNote = 'x'.repeat(140_000);
/** Of both phases; see seed-suite.ts and settings.ts. */
const tasksOfRun = 3;

function draw(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE() / 2 ** 32;
}
