import type { Task } from '../../../support/service-world.ts';
import type { Phase } from './windows.ts';

/** One request as it goes over the wire. */
export interface WireRequest {
  readonly method: string;
  readonly path: string;
  /** Header lines, each with its line end. */
  readonly head: string;
  readonly body: string;
  /** What its sample is found by afterwards, such as the partition that answers it. */
  readonly key: number;
  /** By its place among the base URLs; any in turn unless told. */
  readonly edge?: number;
  /** The head names a body of so many bytes that never comes. */
  readonly withheldBytes?: number;
}

interface Paced {
  readonly name: string;
  readonly perSecond: number;
}

/** Requests one after the other, and again from the first. */
export interface RequestStream extends Paced {
  readonly kind: 'requests';
  readonly requests: readonly WireRequest[];
  /** A signature proves once: what is signed ends with the last of them. */
  readonly isOnce?: boolean;
}

/** Claims by whoever is free, each followed by what a run's life has after it. */
export interface LifecycleStream extends Paced {
  readonly kind: 'lifecycles';
  /** The header lines of each validator's session. */
  readonly validators: readonly string[];
  readonly tasks: readonly Task[];
  readonly packSha256: string;
  /** Of a hundred, how many are completed; the others are given back. */
  readonly completedPercent: number;
}

/** By which the samples of a lifecycle stream tell their requests apart. */
export const lifeKeys = { claim: 1, start: 2, results: 3, completion: 4, release: 5 } as const;

/** Claims alone, by validators in turn: whatever is free is taken. */
export interface ClaimStream extends Paced {
  readonly kind: 'claims';
  readonly validators: readonly string[];
  /** More are not under way at once: who looks for work waits for the answer before he looks again. */
  readonly underWayMax: number;
}

export type Stream = ClaimStream | LifecycleStream | RequestStream;

/** Told to the process that makes the load. */
export type LoadOrder =
  | {
      readonly order: 'start';
      readonly streams: readonly Stream[];
      readonly phases: readonly Phase[];
      /** Opened at each edge before anything is sent. */
      readonly connections: number;
    }
  | { readonly order: 'stop' };

/** What was sent, column by column. Times are Unix milliseconds. */
export interface Samples {
  readonly key: Float64Array;
  /** When it should have been sent, however the service fared. */
  readonly dueMs: Float64Array;
  /** When it was: what is between the two is the generator's, and counts as the service's all the same. */
  readonly sentMs: Float64Array;
  /** Infinity of what was never answered. */
  readonly doneMs: Float64Array;
  /** 0 where the connection ended first, or nothing came. */
  readonly status: Uint16Array;
}

/** What answers of overload looked like. */
export interface ShedAnswers {
  readonly count: number;
  readonly withoutAdmission: number;
  readonly withoutRetryAfter: number;
  readonly retryAfterSeconds: Readonly<Record<string, number>>;
  readonly bodyBytesMax: number;
}

export interface StreamResult {
  readonly name: string;
  readonly samples: Samples;
  readonly shed: ShedAnswers;
  /** Codes of answers that were no 2xx, and how many. */
  readonly refusals: Readonly<Record<string, number>>;
}

/** What was acknowledged, and so has to be there for good. */
export interface Acknowledged {
  readonly claims: readonly AcknowledgedClaim[];
  readonly completed: readonly string[];
  /** Stored results, by run. */
  readonly results: readonly (readonly [evalRunId: string, count: number])[];
}

export interface AcknowledgedClaim {
  readonly evalRunId: string;
  readonly agentVersionId: string;
  /** By its place in the stream's list. */
  readonly validator: number;
  readonly atMs: number;
}

export interface LoadResult {
  readonly streams: readonly StreamResult[];
  readonly acknowledged: Acknowledged;
  /** p99 of how much later than due anything was sent: no fault of the service. */
  readonly lateP99Ms: number;
}
