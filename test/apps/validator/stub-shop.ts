/** A stubbed service with one run on the demo's shop, whose agent is a script without a sandbox. */
import { readFile } from 'node:fs/promises';
import type { ExecutionContext } from 'ava';
import type { Claim } from '../../../apps/cli/client/schemas.generated.ts';
import { shopContract } from '../../../apps/validator/shop/catalogue.ts';
import { writeDemoPack } from '../../../apps/world/demo/demo-pack.ts';
import { qualifyingTaskIds } from '../../../apps/world/demo/shop-tasks.ts';
import { sha256Hex } from '../../../infra/ids/ids.ts';
import { until } from '../../support/until.ts';
import {
  claimOf,
  folderFor,
  noWork,
  openStub,
  type Stubbed,
  type StubService,
  say,
  startStubbed,
} from './stub-service.ts';
import { trialLimits } from './try-sandbox.ts';

export interface StubShop {
  readonly stub: StubService;
  /** Plays the run to what becomes of it, or until a test has seen enough. */
  play(script: string, isOver?: () => boolean): Promise<Played>;
}

interface StubbedRun {
  readonly taskCount: number;
  readonly token?: string | null;
  readonly claimed?: Partial<Claim>;
  readonly started?: Omit<Stubbed, 'sandbox'>;
}

export interface Played {
  /** How it was completed; undefined where it was given back. */
  readonly completion: Readonly<Record<string, unknown>> | undefined;
}

export async function openStubShop(
  t: ExecutionContext,
  { taskCount, token = null, claimed = {}, started = {} }: StubbedRun,
): Promise<StubShop> {
  const [stub, folder] = [await openStub(t), await folderFor(t)];
  const pack = await writeDemoPack(folder);
  const packBytes = await readFile(pack.path);
  const inferenceToken = token !== null && {
    ...{
      provider: 'providera',
      access_token: token,
      base_url: `${stub.url}/v1/inference/providera`,
    },
    expires_at: '2026-01-01T00:00:00Z',
  };
  const claim: Claim = {
    ...{ ...claimOf('run'), env_pack_sha256: pack.sha256, code_download_url: `${stub.url}/code` },
    ...{ code_sha256: sha256Hex('code'), inference_token: inferenceToken || null },
    ...claimed,
  };
  const problems = qualifyingTaskIds
    .slice(0, taskCount)
    .map((id) => ({ problem_id: `problem-${id}`, metadata: { task_id: id } }));
  const delivery = {
    ...{ download_url: `${stub.url}/archive`, download_url_sha256: pack.sha256 },
    ...{ download_url_size_bytes: packBytes.length, tool_contract_version: shopContract },
  };
  const target = { upload_url: `${stub.url}/put`, artifact_uri: 's3://it', results_s3_key: 'log' };
  let isGiven = false;
  stub.answers
    .set('/work/claim', (response) => {
      if (isGiven) return noWork(response);
      isGiven = true;
      say(response, 200, claim);
    })
    .set(`/pack/${pack.sha256}`, (response) => say(response, 200, delivery))
    .set(`/race/${claim.race_id}/pack`, (response) => say(response, 200, delivery))
    .set('/archive', (response) => response.end(packBytes))
    .set('/code', (response) => response.end('code'))
    .set('/run/problems', (response) => say(response, 200, { problems }))
    .set('/presign', (response) => say(response, 200, target))
    .set('/episode-results', (response) => say(response, 200, { results: [] }))
    .set('/run/complete', (response) => say(response, 200, { status: 'FAILED' }));

  const ends = () => [...stub.askedFor('/run/complete'), ...stub.askedFor('/run/release')];

  async function play(script: string, isOver = () => ends().length > 0): Promise<Played> {
    const sandbox = {
      ...{ kind: 'bubblewrap' as const, pythonVersion: '3.11.0', limits: trialLimits },
      commandFor: () => ({ command: '/bin/sh', args: ['-c', asRunner(script)], inputs: [] }),
    };
    const validator = await startStubbed(folder, stub, { ...started, sandbox });
    await until(isOver, 120_000);
    await validator.stop();
    const [completed] = stub.askedFor('/run/complete');
    return { completion: completed && JSON.parse(completed.body) };
  }

  return { stub, play };
}

/** Tells what the runner tells, around a script that calls tools on descriptor 3. */
function asRunner(script: string): string {
  const note = (name: string) => `echo '{"note":"${name}"}' >&3`;
  return `${note('ready')}; read -r problem <&3; ${note('loaded')}; ${script}; ${note('finished')}`;
}
