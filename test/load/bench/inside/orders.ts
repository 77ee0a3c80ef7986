/** What the process beside is told, which speaks to owners and services as an edge does, without HTTP. */
export interface InsidePlan {
  /** With the rights of an edge. */
  readonly natsUrl: string;
}

export type InsideOrder =
  /** Nonces never seen before, and a replay of every hundredth. */
  | { readonly what: 'nonces'; readonly count: number; readonly inFlight: number }
  /** The same of a Map whose oldest keys go, in this process alone. */
  | { readonly what: 'map'; readonly count: number; readonly window: number }
  /** Of these in turn, each for a validator that holds nothing. */
  | {
      readonly what: 'claims';
      readonly count: number;
      readonly inFlight: number;
      readonly work: readonly OpenWork[];
    }
  /** The first heartbeat of all that was claimed, which is stored. */
  | { readonly what: 'starts'; readonly inFlight: number }
  /** Of what was claimed, again and again. */
  | { readonly what: 'heartbeats'; readonly seconds: number; readonly inFlight: number }
  /** Of all that was claimed, as failures of the platform: they need no results. */
  | { readonly what: 'completions'; readonly inFlight: number };

export interface OpenWork {
  readonly part: number;
  readonly workItemId: string;
}

export interface InsideAnswer {
  readonly count: number;
  readonly seconds: number;
  readonly p50Ms: number;
  /** Of the process itself. */
  readonly cpuUs: number;
  readonly wrong: readonly string[];
  /** How often too much was asked, and the same was asked again. */
  readonly shed: number;
}
