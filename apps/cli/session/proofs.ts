import type { Clock } from '../../../infra/ports/clock.ts';
import { bearer, type Credentials, signedBy } from '../client/credentials.ts';
import { fromNow } from '../show/moments.ts';
import type { SessionFile } from './session-file.ts';

/** Nothing proves who calls. */
export class NotSignedIn extends Error {
  override name = 'NotSignedIn';
  readonly advice: string;

  constructor(message: string, advice: string) {
    super(message);
    this.advice = advice;
  }
}

export interface ProofOptions {
  readonly baseUrl: string;
  readonly sessions: SessionFile;
  readonly clock: Clock;
  readonly newNonce: () => string;
  /** From the line or a variable: comes before any session. */
  readonly token: string | undefined;
  /** Of `config.json`: comes after it. */
  readonly configuredToken: string | undefined;
}

/** Proves a hotkey: by a token, by the session, or by its kept key. Asked only where a route needs it. */
export function hotkeyProof(options: ProofOptions): Credentials {
  const { baseUrl, sessions, clock, newNonce, token, configuredToken } = options;
  return async () => {
    if (token !== undefined) return await bearer(token)();
    const session = await sessions.of(baseUrl);
    if (session !== undefined && session.expires_at * 1000 > clock.nowMs()) {
      return await bearer(session.token)();
    }
    if (session?.secret_key !== undefined) {
      const { keptKey } = await import('./kept-key.ts');
      const { hotkey, sign } = keptKey(session);
      return await signedBy({ hotkey, sign, nowMs: () => clock.nowMs(), newNonce })();
    }
    if (configuredToken !== undefined) return await bearer(configuredToken)();
    throw new NotSignedIn(
      session === undefined
        ? `you are not signed in at ${baseUrl}`
        : `the session of ${session.hotkey} ended ${fromNow(instantOf(session.expires_at), clock.nowMs())}`,
      'Sign in with: paddock login --key FILE',
    );
  };
}

export function operatorProof(token: string | undefined): Credentials {
  if (token !== undefined) return bearer(token);
  return () => {
    throw new NotSignedIn(
      'operators’ commands need an operator token',
      'Set PADDOCK_OPERATOR_TOKEN, or "operator_token" in config.json.',
    );
  };
}

/** Of Unix seconds. */
export function instantOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
