/** A validator in this process, and a service that says what a test tells it to; the disk is a real one. */
import { mkdtemp, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { ExecutionContext } from 'ava';
import type { Claim } from '../../../apps/cli/client/schemas.generated.ts';
import type { Sandbox } from '../../../apps/validator/sandbox/find-sandbox.ts';
import { Validator } from '../../../apps/validator/validator.ts';
import { readSettings } from '../../../apps/validator/validator-settings.ts';
import { participantKeypair } from '../../../apps/world/participants/keys.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import type { Clock } from '../../../infra/ports/clock.ts';
import type { Telemetry } from '../../../infra/ports/telemetry.ts';
import { listening } from '../../support/listening.ts';
import { silentLogger, silentTelemetry } from '../../support/silent-telemetry.ts';
import { trialLimits } from './try-sandbox.ts';

interface Asked {
  readonly path: string;
  readonly key: string | undefined;
  readonly body: string;
}

type Answer = (response: ServerResponse, asked: Asked) => void;

export interface StubService {
  readonly url: string;
  readonly asked: readonly Asked[];
  /** By what its path ends in. What is not told: no work, no code, and yes to everything else. */
  readonly answers: Map<string, Answer>;
  /** Those whose path ends so. */
  askedFor(end: string): readonly Asked[];
}

export async function openStub(t: ExecutionContext): Promise<StubService> {
  const asked: Asked[] = [];
  const answers = new Map<string, Answer>([
    ['/work/claim', (response) => noWork(response)],
    ['/code', (response) => say(response, 404, {})],
  ]);
  const { origin: url } = await listening(t, (request, response) => {
    void text(request).then((body) => {
      const path = request.url ?? '';
      const one = { path, key: request.headers['idempotency-key'] as string | undefined, body };
      asked.push(one);
      const [, answer] = [...answers].findLast(([end]) => path.endsWith(end)) ?? [];
      if (answer === undefined) say(response, 200, {});
      else answer(response, one);
    });
  });
  const askedFor = (end: string) => asked.filter(({ path }) => path.endsWith(end));
  return { url, asked, answers, askedFor };
}

export function say(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

export function noWork(response: ServerResponse): void {
  response.writeHead(204).end();
}

export function away(response: ServerResponse): void {
  say(response, 503, { detail: 'Try again soon.', error_code: 'OVERLOADED' });
}

/** Its code is asked for at the stub, or nobody is there at all. */
export function claimOf(evalRunId: string, stub = { url: 'http://127.0.0.1:1' }): Claim {
  return {
    ...{ eval_run_id: evalRunId, agent_version_id: 'version', suite_id: 1, suite_version: 1 },
    ...{ phase: 'QUALIFYING', race_id: null, execution_kind: 'envpack' },
    ...{ env_pack_sha256: 'pack', lease_expires_at: '2026-01-01T00:00:00Z' },
    heartbeat_interval_seconds: 30,
    ...{ code_download_url: `${stub.url}/code`, code_sha256: 'code' },
    ...{ inference_token: null, providera_access_token: null },
  };
}

export async function folderFor(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'validator-state-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** No agent gets as far as this. */
const noSandbox: Sandbox = {
  ...{ kind: 'bubblewrap', pythonVersion: '3.11.0', limits: trialLimits },
  commandFor: () => ({ command: '/bin/false', args: [], inputs: [] }),
};

export interface Stubbed {
  readonly clock?: Clock;
  readonly env?: object;
  readonly sandbox?: Sandbox;
  readonly telemetry?: Telemetry;
}

export async function startStubbed(
  folder: string,
  { url }: StubService,
  stubbed: Stubbed = {},
): Promise<Validator> {
  const { clock = systemClock, env = {}, sandbox = noSandbox } = stubbed;
  const config = readSettings({
    PADDOCK_URL: url,
    VALIDATOR_KEY_FILE: 'unused',
    VALIDATOR_DATA_DIR: folder,
    VALIDATOR_AUTH: 'signatures',
    VALIDATOR_IDLE_SECONDS: '1',
    VALIDATOR_DRAIN_SECONDS: '0',
    ...env,
  });
  return await Validator.start({
    ...{ config, keypair: participantKeypair(77, 'validator', 1), sandbox, clock },
    ...{ log: silentLogger, telemetry: stubbed.telemetry ?? silentTelemetry },
  });
}
