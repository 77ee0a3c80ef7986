import type { SignatureVerifier } from '../../../infra/ports/signatures.ts';
import type { Callers } from './callers.ts';
import type { ProofTurns } from './proof-turns.ts';
import type { Registrations } from './registrations.ts';

/** What the routes under /v1/auth work with. */
export interface Identity {
  readonly verifier: SignatureVerifier;
  readonly turns: ProofTurns;
  readonly registrations: Registrations;
  readonly callers: Callers;
  /** The live run that the token of a claim speaks for. */
  readonly runOf: (token: string) => Promise<string | undefined>;
}
