import { join } from 'node:path';
import { systemClock } from '../../infra/clock/system-clock.ts';
import { randomId } from '../../infra/ids/ids.ts';
import type { Asked } from './asked.ts';
import { paddockClient } from './client/paddock.generated.ts';
import { sender } from './client/send.ts';
import type { Desk, Environment } from './desk.ts';
import type { Asking } from './keys/ask.ts';
import { hotkeyProof, operatorProof } from './session/proofs.ts';
import { SessionFile } from './session/session-file.ts';
import { baseUrlOf, configFolder, readConfigFile, type Variables } from './session/settings.ts';
import type { Screen } from './show/screen.ts';

/** What `npm start` of the same machine serves on. */
const usualUrl = 'http://127.0.0.1:8080';
/** A restart of one edge or coordinator is over by then; who waits longer wants to be told. */
const patienceMs = 5_000;

export interface DeskOptions {
  readonly variables: Variables;
  readonly environment: Environment;
  readonly out: Screen;
  readonly err: Screen;
  readonly asking: Asking;
  readonly stopping: AbortSignal;
}

/** The line comes first, then variables, then `config.json`, then the last session. */
export async function openDesk(asked: Asked, options: DeskOptions): Promise<Desk> {
  const { variables, environment, ...rest } = options;
  const folder = configFolder(variables, environment.home);
  const config = await readConfigFile(folder);
  const sessions = new SessionFile(join(folder, 'session.json'));
  const url = asked.text('url') ?? (variables.PADDOCK_URL || config.url);
  const baseUrl = baseUrlOf(url ?? (await sessions.current()) ?? usualUrl);
  const line = asked.text('token');
  const credentials = {
    hotkey: hotkeyProof({
      ...{ baseUrl, sessions, clock: systemClock, newNonce: randomId },
      token: line ?? (variables.PADDOCK_TOKEN || undefined),
      configuredToken: config.token,
    }),
    operator: operatorProof(line ?? (variables.PADDOCK_OPERATOR_TOKEN || config.operator_token)),
  };
  const send = sender({ baseUrl, clock: systemClock, credentials, patienceMs });
  return {
    ...rest,
    ...{ environment, baseUrl, sessions, clock: systemClock },
    isJson: asked.isSet('json'),
    client: paddockClient(send),
  };
}
