import assert from 'node:assert/strict';
import type { SignedClient } from '../../../apps/world/participants/signed-client.ts';
import { type Claim, claimAnswer } from '../../../apps/world/participants/validator-answers.ts';
import { worldSecrets } from '../../../apps/world/secrets.ts';
import { until } from '../../support/until.ts';
import type { DrillWorld } from './drill-world.ts';

/** A run of a version that was submitted for it, unless one waits already. */
export async function claim(validator: SignedClient, ms = 30_000): Promise<Claim> {
  let found: Claim | undefined;
  await until(async () => {
    const path = '/v1/validator/work/claim';
    const { status, body } = await validator.request('POST', path).catch(() => nothing);
    if (status === 200) found = claimAnswer.parse(body);
    return found !== undefined;
  }, ms);
  assert.ok(found !== undefined);
  return found;
}

const nothing = { status: 0, body: null };

/** The status of one heartbeat. */
export async function beat(validator: SignedClient, evalRunId: string): Promise<number> {
  const path = `/v1/validator/evaluation-runs/${evalRunId}/heartbeat`;
  return (await validator.request('POST', path, { json: {} }).catch(() => nothing)).status;
}

export interface Beating {
  /** Statuses of heartbeats, each once. */
  readonly statuses: ReadonlySet<number>;
  stop(): Promise<void>;
}

/** As deployed validators do: every two seconds, whatever the last one was answered. */
export function keepBeating(validator: SignedClient, evalRunId: string): Beating {
  const statuses = new Set<number>();
  let last: Promise<void> = Promise.resolve();
  const once = async () => {
    statuses.add(await beat(validator, evalRunId));
  };
  last = once();
  const timer = setInterval(() => {
    last = Promise.all([last, once()]).then(() => undefined);
  }, 2_000);
  return {
    statuses,
    async stop() {
      clearInterval(timer);
      await last;
    },
  };
}

/** Gives the run back, so that the next drill finds a service at rest. */
export async function giveBack(validator: SignedClient, evalRunId: string): Promise<void> {
  const path = `/v1/validator/evaluation-runs/${evalRunId}/release`;
  await until(async () => {
    const { status } = await validator.request('POST', path).catch(() => nothing);
    return status > 0 && status < 500;
  }, 30_000);
}

/** Somebody works on something while the fault happens. */
export async function runUnderWay(world: DrillWorld) {
  await world.submit(await world.newMiner());
  const validator = await world.newValidator();
  const { eval_run_id: evalRunId } = await claim(validator);
  assert.equal(await beat(validator, evalRunId), 200);
  return { validator, evalRunId };
}

export function databaseUrl({ service }: DrillWorld): string {
  return `postgres://postgres@127.0.0.1:${service.postgres.port}/postgres`;
}

/** Of the database's owner, as the commands of the page take them. */
export async function ownerEnv(world: DrillWorld): Promise<Record<string, string>> {
  const secrets = await worldSecrets(world.service.dataDir);
  return {
    DATABASE_URL: databaseUrl(world),
    S3_ENDPOINT: `http://127.0.0.1:${world.service.store.port}`,
    S3_BUCKET: 'paddock',
    S3_ACCESS_KEY_ID: secrets.s3AccessKeyId,
    S3_SECRET_ACCESS_KEY: secrets.s3SecretAccessKey,
  };
}

export interface Member {
  readonly member_id: string;
  readonly is_live: boolean;
  readonly is_draining: boolean;
  readonly partition_count: number;
}

export async function members({ panel }: DrillWorld): Promise<readonly Member[]> {
  const body = await panel.order('GET /v1/admin/partitions');
  return body['members'] as readonly Member[];
}
