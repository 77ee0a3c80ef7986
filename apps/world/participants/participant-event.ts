import type { Refusal } from './refusal.ts';

interface OfRun {
  /** The participant's name in the story, such as `Boreas`. */
  readonly who: string;
  readonly evalRunId: string;
  readonly agentVersionId: string;
}

/** What simulated miners and validators tell whoever listens: the story, a test or a benchmark. */
export type ParticipantEvent =
  | { readonly kind: 'submitted'; readonly who: string; readonly agentName: string }
  | {
      readonly kind: 'accepted';
      readonly who: string;
      readonly agentName: string;
      readonly agentVersionId: string;
    }
  | {
      readonly kind: 'refused';
      readonly who: string;
      readonly agentName: string;
      readonly refusal: Refusal;
    }
  | {
      readonly kind: 'cooling';
      readonly who: string;
      /** What it has submitted before, with its state. */
      readonly before: readonly string[];
      readonly nextAllowedAt: string;
    }
  | ({ readonly kind: 'claimed'; readonly claimMs: number } & OfRun)
  | ({ readonly kind: 'heartbeat'; readonly beatMs: number } & OfRun)
  /** Its agent asked a language model; 0 is no answer at all. */
  | ({ readonly kind: 'inferred'; readonly provider: string; readonly status: number } & OfRun)
  | ({ readonly kind: 'results'; readonly itemCount: number; readonly batchMs: number } & OfRun)
  | ({ readonly kind: 'completed'; readonly completeMs: number } & CompletedRun & OfRun)
  /** It holds a run and says nothing more. */
  | ({ readonly kind: 'silent'; readonly leaseExpiresAt: string } & OfRun)
  /** It came back after its lease; what it sent was refused. */
  | ({ readonly kind: 'late'; readonly request: string; readonly refusal: Refusal } & OfRun)
  /** The run ended under it: its version was discarded, or its lease was lost. */
  | ({ readonly kind: 'lost'; readonly refusal: Refusal } & OfRun)
  | ({ readonly kind: 'released' } & OfRun)
  /** Something it did not expect; it goes on with the next run. */
  | { readonly kind: 'trouble'; readonly who: string; readonly error: unknown };

export interface CompletedRun {
  readonly status: string;
  readonly score: number | null;
  readonly failureClass: string | null;
  readonly includedSuccessCount: number;
  readonly requiredSuccesses: number;
  readonly becameEligible: boolean;
  readonly finalScore: number | null;
}

export type Listener = (event: ParticipantEvent) => void;
