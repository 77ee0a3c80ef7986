import type { Violations } from './violations.ts';

export interface CommittedEvent {
  readonly machine: string;
  readonly key: string;
  readonly seq: number;
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

export interface Commit {
  readonly process: string;
  readonly kind: string;
  readonly part: number;
  readonly epoch: number;
  /** The domain's clock when it was made. */
  readonly atMs: number;
  readonly events: readonly CommittedEvent[];
}

export interface KnownRun {
  readonly evalRunId: string;
  readonly workItemId: string;
  readonly agentVersionId: string;
  readonly validatorHotkey: string;
  /** Of kind eval. */
  readonly part: number;
  readonly claimedAtMs: number;
  /** As its events say it: what it may take is counted from then, and from its latest progress. */
  readonly ageFromMs: number;
  progressAtMs: number;
  /** The first event that ended it. */
  end: { readonly type: string; readonly atMs: number; readonly reason: unknown } | undefined;
}

type ClaimedRun = Pick<KnownRun, 'agentVersionId' | 'validatorHotkey' | 'workItemId'>;

interface KnownItem {
  phase: string;
  isOpen: boolean;
  /** Judges a success again: nobody may be left who has had no say in that score. */
  isJudging: boolean;
  miner: string;
  required: number;
  fence: number;
  /** Validator by live run. */
  readonly live: Map<string, string>;
  readonly included: Set<string>;
}

/** Told in the step that commits it. */
export interface RunWitness {
  onRaceOpened(atMs: number): void;
  onRaceClosed(entrantIds: readonly string[], atMs: number): void;
  onStaled(run: KnownRun, atMs: number): void;
  /** Its validator said something, and was believed; the lease ends then, where the event says so. */
  onSign(run: KnownRun, atMs: number, leaseUntilMs: unknown): void;
  /** A validator was given another's work while there was some of its own owner. */
  onOwnLeft(): void;
}

const signs = new Set([
  'FAILED',
  'PROGRESS_RECORDED',
  'RESULTS_STORED',
  'RUN_TIMED_OUT',
  'STARTED',
  'SUCCEEDED',
]);
const progress = new Set(['PROGRESS_RECORDED', 'RESULTS_STORED']);
const ends = new Set(['CANCELLED', 'FAILED', 'RUN_TIMED_OUT', 'STALED', 'SUCCEEDED']);
const afterEnd = new Set(['ADOPTED', 'EXCLUDED', 'INCLUDED']);

/**
 * What the commits say, folded once more by code that shares nothing with the machines, one commit at
 * a time: so a broken rule is seen in the very step that breaks it.
 */
export class CommitModel {
  readonly runs = new Map<string, KnownRun>();
  readonly #items = new Map<string, KnownItem>();
  readonly #epochs = new Map<string, number>();
  /** Who wrote in an epoch of a partition. */
  readonly #owners = new Map<string, string>();
  readonly #seqs = new Map<string, number>();
  readonly #violations: Violations;
  readonly #on: RunWitness;
  /** The miner whose work a validator may never be given, by hotkey. */
  readonly #ownMiners: ReadonlyMap<string, string>;

  constructor(violations: Violations, on: RunWitness, ownMiners: ReadonlyMap<string, string>) {
    this.#violations = violations;
    this.#on = on;
    this.#ownMiners = ownMiners;
  }

  apply(commit: Commit): void {
    const { kind, part, epoch, events } = commit;
    const partition = `${kind}/${part}`;
    const before = this.#epochs.get(partition) ?? 0;
    if (epoch < before)
      this.#wrong('INV-48', `${partition} was written by ${epoch} after ${before}`);
    this.#epochs.set(partition, Math.max(epoch, before));
    const owner = this.#owners.get(`${partition}@${epoch}`) ?? commit.process;
    this.#owners.set(`${partition}@${epoch}`, owner);
    if (owner !== commit.process) {
      this.#wrong(
        'INV-48',
        `${partition} was written by ${commit.process} in the epoch of ${owner}`,
      );
    }
    for (const event of events) {
      this.#number(`${partition}/${event.machine}/${event.key}`, event.seq);
      if (event.machine === 'evaluation-run') this.#run(event, commit);
      if (event.machine === 'work-item') this.#item(event);
      if (event.machine === 'race') this.#race(event, commit.atMs);
    }
    // Within a commit a lease may end after the next began; afterwards the sums must be right.
    for (const { machine, key } of events) if (machine === 'work-item') this.#checkItem(key);
  }

  liveRuns(): readonly KnownRun[] {
    return [...this.runs.values()].filter(({ end }) => end === undefined);
  }

  /** Work that somebody can be given, sooner or later. */
  openItems(phase: string): number {
    const open = [...this.#items.values()].filter(({ isOpen, isJudging }) => isOpen && !isJudging);
    return open.filter((item) => item.phase === phase).length;
  }

  #number(machine: string, seq: number): void {
    const expected = (this.#seqs.get(machine) ?? 0) + 1;
    if (seq !== expected)
      this.#wrong('INV-49', `${machine}: event ${seq} where ${expected} was due`);
    this.#seqs.set(machine, seq);
  }

  #run({ key, type, payload }: CommittedEvent, { atMs, part }: Commit): void {
    const known = this.runs.get(key);
    if (type === 'CLAIMED') {
      const run = payload['run'] as ClaimedRun;
      if (known !== undefined) this.#wrong('INV-02', `run ${key} was claimed twice`);
      const { workItemId, agentVersionId, validatorHotkey } = run;
      const held = this.liveRuns().find((live) => live.validatorHotkey === validatorHotkey);
      if (held !== undefined) {
        this.#wrong('INV-09', `${validatorHotkey} holds ${held.evalRunId} and was given ${key}`);
      }
      const claimed = { evalRunId: key, workItemId, agentVersionId, validatorHotkey };
      const saidAtMs = Number(payload['at']);
      const times = { claimedAtMs: atMs, ageFromMs: saidAtMs, progressAtMs: saidAtMs };
      this.runs.set(key, { ...claimed, ...times, part, end: undefined });
      return;
    }
    if (known === undefined) {
      this.#wrong('INV-49', `${type} of run ${key}, which nobody has`);
      return;
    }
    if (known.end !== undefined) {
      if (!afterEnd.has(type)) {
        this.#wrong('INV-05', `run ${key} had ended with ${known.end.type}, and then ${type}`);
      }
      return;
    }
    if (signs.has(type)) this.#on.onSign(known, atMs, payload['leaseUntil']);
    if (progress.has(type)) known.progressAtMs = Number(payload['at']);
    if (!ends.has(type)) return;
    const { reason } = payload;
    known.end = { type, atMs, reason };
    if (type === 'STALED') this.#on.onStaled(known, atMs);
  }

  #race({ type, payload }: CommittedEvent, atMs: number): void {
    if (type === 'RACE_OPENED') this.#on.onRaceOpened(atMs);
    if (type !== 'QUALIFYING_CLOSED') return;
    this.#on.onRaceClosed(payload['entrantIds'] as readonly string[], atMs);
  }

  #item({ key, type, payload }: CommittedEvent): void {
    const item = this.#items.get(key) ?? unopened();
    this.#items.set(key, item);
    const runId = String(payload['evalRunId'] ?? '');
    switch (type) {
      case 'OPENED':
        this.#open(item, payload['work'] as Readonly<Record<string, unknown>>);
        item.isJudging = (payload['rejudges'] ?? null) !== null;
        break;
      case 'CLOSED':
      case 'WORK_CANCELLED':
        item.isOpen = false;
        break;
      case 'REOPENED':
        item.isOpen = true;
        break;
      case 'LEASED':
        this.#lease(key, item, payload);
        break;
      case 'LEASE_ENDED':
        item.live.delete(runId);
        break;
      case 'SUCCESS_INCLUDED':
        item.live.delete(runId);
        item.included.add(runId);
        break;
      case 'SUCCESS_EXCLUDED':
        item.included.delete(runId);
        break;
      case 'SUCCESS_REPLACED':
        this.#replace(item, payload);
        break;
      case 'VERDICT_REACHED':
        item.live.clear();
        item.isOpen = false;
        break;
    }
  }

  #open(item: KnownItem, work: Readonly<Record<string, unknown>>): void {
    item.required = Number(work['requiredSuccesses']);
    item.phase = String(work['phase']);
    item.miner = String(work['minerHotkey']);
    item.isOpen = true;
  }

  /** By the run that judged it again. */
  #replace(item: KnownItem, payload: CommittedEvent['payload']): void {
    const { evalRunId } = payload['by'] as { evalRunId: string };
    item.included.delete(String(payload['evalRunId']));
    item.included.add(evalRunId);
    item.fence = Math.max(Number(payload['fence']), item.fence);
  }

  #lease(key: string, item: KnownItem, payload: CommittedEvent['payload']): void {
    const fence = Number(payload['fence']);
    const hotkey = String(payload['validatorHotkey']);
    if (fence <= item.fence) this.#wrong('INV-02', `${key}: fence ${fence} after ${item.fence}`);
    item.fence = Math.max(fence, item.fence);
    if ([...item.live.values()].includes(hotkey)) {
      this.#wrong('INV-01', `${key}: ${hotkey} holds two runs`);
    }
    const own = this.#ownMiners.get(hotkey);
    if (item.miner === own) this.#wrong('INV-10', `${key}: ${hotkey} was given its own work`);
    else if (this.#isOpenOf(own)) this.#on.onOwnLeft();
    item.live.set(String(payload['evalRunId']), hotkey);
  }

  #isOpenOf(miner: string | undefined): boolean {
    if (miner === undefined) return false;
    return [...this.#items.values()].some((item) => item.isOpen && item.miner === miner);
  }

  #checkItem(key: string): void {
    const item = this.#items.get(key);
    if (item === undefined) return;
    const { live, included, required } = item;
    if (included.size > required) {
      this.#wrong('INV-11', `${key}: ${included.size} successes of ${required}`);
    }
    if (live.size + included.size > required) {
      this.#wrong(
        'INV-01',
        `${key}: ${live.size} live and ${included.size} included of ${required}`,
      );
    }
    for (const runId of live.keys()) {
      if (this.runs.get(runId)?.end !== undefined) {
        this.#wrong('INV-01', `${key}: run ${runId} holds its place though it is over`);
      }
    }
  }

  #wrong(invariant: string, text: string): void {
    this.#violations.add(invariant, text);
  }
}

function unopened(): KnownItem {
  const counts = { required: 0, fence: 0 };
  return {
    phase: '',
    miner: '',
    isOpen: false,
    isJudging: false,
    ...counts,
    live: new Map(),
    included: new Set(),
  };
}
