import type { Task } from '../support/service-world.ts';

/** What is measured on its own, in the order of a run's life. */
export type StageName =
  | 'claims'
  | 'first heartbeats'
  | 'heartbeats'
  | 'item batches'
  | 'completions'
  /** Runs given back, so that their work can be claimed again. */
  | 'releases';

/** `none` is the bare hotkey, for a service that believes everybody. */
export type Auth = 'none' | 'session' | 'signed';

export interface Stage {
  readonly name: StageName;
  readonly auth: Auth;
  /** Requests under way at once. */
  readonly connections: number;
  /** Left out: until every run had its turn. */
  readonly seconds?: number;
  /** Open loop: requests per second, at random intervals, whatever the answers do. */
  readonly rate?: number;
  /** Left out: every run that the validators may hold. */
  readonly operationsMax?: number;
  /** Of signed requests: so many more are replays, and so many forgeries. All must be refused. */
  readonly hostileShare?: number;
}

export interface StageResult {
  readonly seconds: number;
  /** Of the good answers. In open loop from the moment at which it should have been sent. */
  readonly latenciesMs: Float64Array;
  /** Other answers, by status and code; 204 of a claim is among them. */
  readonly errors: Readonly<Record<string, number>>;
  /** Acknowledged results of episodes. */
  readonly items: number;
  /**
   * In open loop the p99 of how much later than due the generator looked at it: what it shares its
   * cores with, and no fault of the service. Latencies contain it.
   */
  readonly lateP99Ms?: number;
  /** Replays and forgeries; one that was not answered 401 is among the errors. */
  readonly hostile: number;
}

/** What the generator is told once, at its start. */
export interface GeneratorPlan {
  readonly baseUrls: readonly string[];
  readonly validators: number;
  readonly seed: number;
  readonly runsPerValidator: number;
  readonly tasks: readonly Task[];
  readonly packSha256: string;
  /** Each validator behind an address of its own, as a trusted proxy would say. */
  readonly isProxied?: boolean;
  /** The service knows no sessions: none are opened. */
  readonly hasNoSessions?: boolean;
}
