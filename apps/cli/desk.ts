import type { Clock } from '../../infra/ports/clock.ts';
import type { PaddockClient } from './client/paddock.generated.ts';
import type { Asking } from './keys/ask.ts';
import type { SessionFile } from './session/session-file.ts';
import type { Screen } from './show/screen.ts';

/** What a command works with: everything that is not what it was asked. */
export interface Desk {
  /** What was asked for; nothing else ever stands there. */
  readonly out: Screen;
  /** Progress, notes and errors. */
  readonly err: Screen;
  readonly isJson: boolean;
  readonly clock: Clock;
  /** Of the service, without a slash at its end. */
  readonly baseUrl: string;
  readonly sessions: SessionFile;
  readonly client: PaddockClient;
  readonly asking: Asking;
  readonly environment: Environment;
  /** Ctrl-C. */
  readonly stopping: AbortSignal;
}

/** What of the process's environment commands heed. */
export interface Environment {
  readonly home: string;
  /** PADDOCK_KEY_PASSWORD: opens a key file where nobody can be asked. */
  readonly keyPassword: string | undefined;
  /** PADDOCK_CREDENTIAL: of an inference provider. */
  readonly credential: string | undefined;
}
