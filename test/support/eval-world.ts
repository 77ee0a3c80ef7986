import type { SuiteRoster } from '../../actors/lease-manager/aggregate.ts';
import { EvalPartition } from '../../actors/lease-manager/eval-partition.ts';
import type { ExpiryBrake } from '../../actors/lease-manager/expiry-brake.ts';
import { type Orders, PartitionState } from '../../actors/lease-manager/partition-state.ts';
import type { Command, Decision, Reply } from '../../actors/runtime/partition-actor.ts';
import { idsWithin, uuidV5 } from '../../infra/ids/ids.ts';
import type { Telemetry } from '../../infra/ports/telemetry.ts';
import { evalPartitionOf } from '../../machines/partition-of.ts';
import type { EvalPolicy } from '../../machines/types.ts';

/** The contract's defaults, with a fault table of one line for each kind of blame. */
export const evalPolicy: EvalPolicy = {
  claimLeaseMs: 300_000,
  leaseMs: 120_000,
  heartbeatMs: 30_000,
  noProgressMs: 3_600_000,
  runLimitMs: 7_200_000,
  expiryBrakeShareMicro: 200_000,
  holdFailures: 5,
  holdMs: 60_000,
  holdMaxMs: 1_800_000,
  agentFailureLimit: 3,
  cooldownMs: 64_800_000,
  discardCooldownMs: 3_600_000,
  queueSpacingMs: 3_600_000,
  platformFaultShareMicro: 300_000,
  faultTable: [
    { pattern: 'download', class: 'PLATFORM', onlyWithoutToken: false },
    { pattern: '\\b429\\b', class: 'PROVIDER', onlyWithoutToken: false },
    { pattern: 'missing credential', class: 'AGENT', onlyWithoutToken: true },
    { pattern: 'sandbox crash', class: 'AGENT', onlyWithoutToken: false },
  ],
  artifactUriPrefix: 's3://bucket/episodes/',
};

export const evalPart = 7;
export const packSha256 = 'ab'.repeat(32);
export const stateHash = 'cd'.repeat(32);
export const families = ['search', 'cart', 'compare'] as const;

/** The ids of versions that all live in one partition. */
export function versionIdAt(index: number): string {
  for (let salt = 0; ; salt += 1) {
    const id = uuidV5('00000000-0000-0000-0000-000000000000', `version ${index} ${salt}`);
    if (evalPartitionOf(id) === evalPart) return id;
  }
}

export function suiteOf(taskCount: number, overrides: Partial<SuiteRoster> = {}): SuiteRoster {
  const tasks = Array.from({ length: taskCount }, (_, index) => `task-${index}`);
  const roster = {
    problemIds: new Set(tasks.map((task) => problemIdOf(task))),
    families: new Map(tasks.map((task, index) => [task, families[index % 3] ?? 'search'])),
  };
  return {
    suiteId: 1,
    executionKind: 'envpack',
    envPackSha256: packSha256,
    requiredSuccessesQualifying: 2,
    qualifying: roster,
    ...overrides,
  };
}

export function problemIdOf(taskId: string): string {
  return uuidV5('00000000-0000-0000-0000-000000000000', taskId);
}

export function episode(index: number, overrides: Record<string, unknown> = {}) {
  return {
    envPackSha256: packSha256,
    taskId: `task-${index}`,
    family: families[index % 3],
    outcome: 'completed',
    verdictCorrect: true,
    verdictChecks: { total: 'passed' },
    rewardComponents: {},
    rewardMicro: 500_000,
    wallSeconds: 1.5,
    terminalStateHash: stateHash,
    ledgerUri: null,
    stepCount: 4,
    ...overrides,
  };
}

export function submission(index: number, overrides: Record<string, unknown> = {}) {
  return {
    agentVersionId: versionIdAt(index),
    agentId: uuidV5('00000000-0000-0000-0000-000000000000', `agent ${index}`),
    minerHotkey: `miner-${index}`,
    minerColdkey: `cold-miner-${index}`,
    agentName: `agent ${index}`,
    suiteId: 1,
    codeSha256: 'ef'.repeat(32),
    codeSizeBytes: 100,
    ...overrides,
  };
}

export function completion(overrides: Record<string, unknown> = {}) {
  return {
    terminalStatus: 'SUCCESS',
    scoreMicro: 500_000,
    scoreComponents: null,
    resultsS3Key: null,
    failureReason: null,
    failureClass: null,
    sandboxMetadata: null,
    ...overrides,
  };
}

/** What the tables say where suite 1 is active and operators ordered nothing. */
export const noOrders: Orders = {
  activeSuiteId: 1,
  activatedAtMs: null,
  bannedHotkeys: new Set(),
  endedRejudgings: new Set(),
  rejudgingsOrderedAtMs: new Map(),
};

export interface Handled {
  readonly decision: Decision;
  readonly reply: Reply;
}

/** One eval partition in memory with a clock that the test moves; every command is a batch. */
export class EvalWorld {
  nowMs = 1_800_000_000_000;
  readonly state: PartitionState;
  readonly actor: EvalPartition;
  readonly decisions: Decision[] = [];
  /** By the name of the counter, with the reason where one was given. */
  readonly counts = new Map<string, number>();
  #count = 0;

  constructor(
    suite: SuiteRoster = suiteOf(3),
    policy: EvalPolicy = evalPolicy,
    /** Where it is one of several partitions of a process. */
    place: { readonly brake?: ExpiryBrake } = {},
  ) {
    this.state = new PartitionState(policy);
    this.state.suites.set(suite.suiteId, suite);
    // Everything is in memory from the start: there is nothing to load.
    const loader = { load: async () => {} };
    const telemetry: Pick<Telemetry, 'count'> = {
      count: (name, by = 1, { reason } = {}) => {
        const key = reason === undefined ? name : `${name} ${reason}`;
        this.counts.set(key, (this.counts.get(key) ?? 0) + by);
      },
    };
    const deps = {
      part: evalPart,
      policy,
      ids: { uuidV5, idsWithin },
      state: this.state,
      loader,
      telemetry,
    };
    this.actor = new EvalPartition({ ...deps, ...place });
  }

  command(type: string, body: unknown): Command {
    this.#count += 1;
    const id = uuidV5('00000000-0000-0000-0000-000000000000', `command ${this.#count}`);
    return { id, type, body, account: 'test', trace: {} };
  }

  do(type: string, body: unknown): Handled {
    return this.handle(this.command(type, body));
  }

  handle(command: Command): Handled {
    this.actor.begin();
    const decision = this.actor.decide(command, this.nowMs);
    this.actor.commit();
    this.decisions.push(decision);
    return { decision, reply: decision.reply };
  }

  /** The body of an accepted command; throws with the refusal. */
  ok(type: string, body: unknown): Record<string, unknown> {
    const { reply } = this.do(type, body);
    if (reply.kind === 'fault')
      throw new Error(`${type} was refused: ${reply.code} ${reply.detail}`);
    return reply.body as Record<string, unknown>;
  }

  /** The refusal's code and extras. */
  refusal(type: string, body: unknown): { code: string; extras: unknown } {
    const { reply } = this.do(type, body);
    if (reply.kind !== 'fault') throw new Error(`${type} was accepted`);
    return { code: reply.code, extras: reply.extras };
  }

  submit(index: number, overrides: Record<string, unknown> = {}): void {
    this.ok('submit-version', submission(index, overrides));
  }

  /** A race of version 1 alone. */
  startRace(): string {
    const raceId = problemIdOf('race');
    this.state.races.set(raceId, { isRunning: true, roster: suiteOf(3).qualifying });
    const agentVersionIds = [versionIdAt(1)];
    this.ok('race-started', { raceId, suiteId: 1, requiredSuccesses: 2, agentVersionIds });
    return raceId;
  }

  claim(validatorHotkey: string, overrides: Record<string, unknown> = {}): ClaimedRun | null {
    const claim = { validatorHotkey, validatorColdkey: null, slot: 0, preferred: [], ...overrides };
    return this.ok('claim-work', claim)['run'] as ClaimedRun | null;
  }

  /** A claim that must find work. */
  run(validatorHotkey: string, overrides: Record<string, unknown> = {}): OwnRun {
    const claimed = this.claim(validatorHotkey, overrides);
    if (claimed === null) throw new Error(`nothing to do for ${validatorHotkey}`);
    const { agentVersionId, evalRunId } = claimed;
    return { agentVersionId, evalRunId, validatorHotkey };
  }

  append(
    own: OwnRun,
    results: readonly unknown[],
  ): readonly { status: number; error: string; episodeResultId: string | null }[] {
    return this.ok('append-results', { ...own, results })['items'] as never;
  }

  complete(own: OwnRun, overrides: Record<string, unknown> = {}): Record<string, unknown> {
    return this.ok('complete-run', { ...own, ...completion(overrides) });
  }

  /** Lets the time pass and the expiry work. */
  pass(ms: number): void {
    this.nowMs += ms;
    for (const command of this.actor.due(this.nowMs)) this.handle(command);
  }

  version(index: number) {
    const aggregate = this.state.aggregates.get(versionIdAt(index));
    if (aggregate === undefined) throw new Error(`no version ${index}`);
    return aggregate;
  }

  runState(own: OwnRun) {
    const run = this.state.aggregates.get(own.agentVersionId)?.runs.get(own.evalRunId);
    if (run === undefined) throw new Error(`no run ${own.evalRunId}`);
    return run.state;
  }

  itemState(index: number) {
    const [item] = this.version(index).items.values();
    if (item === undefined) throw new Error(`no work of version ${index}`);
    return item.state;
  }

  /** Version 1's work of a race. */
  raceItem(raceId: string) {
    const items = [...this.version(1).items.values()].map(({ state }) => state);
    const item = items.find(({ context }) => context.raceId === raceId);
    if (item === undefined) throw new Error('the race has no work');
    return item;
  }
}

export interface OwnRun {
  readonly agentVersionId: string;
  readonly evalRunId: string;
  readonly validatorHotkey: string;
}

export interface ClaimedRun {
  readonly evalRunId: string;
  readonly agentVersionId: string;
  readonly workItemId: string;
  readonly fence: number;
  readonly leaseExpiresAt: number;
}
