import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import test from 'ava';
import { fileKindIds } from '../../apps/verify/options.ts';
import { signedClient } from '../../apps/world/participants/signed-client.ts';
import { submitAgent } from '../../apps/world/participants/simulated-miner.ts';
import { simulatedValidator } from '../../apps/world/participants/simulated-validator.ts';
import { worldSecrets } from '../../apps/world/secrets.ts';
import { plainClient } from '../infra/object-store/store-under-test.ts';
import { RaceSeason, seasonCode } from '../support/race-season.ts';
import { registerKeys, type ServiceWorld, startServiceWorld } from '../support/service-world.ts';
import { systemEnv } from '../support/system-env.ts';
import { until } from '../support/until.ts';

const main = fileURLToPath(new URL('../../apps/verify/main.ts', import.meta.url));
const bucket = 'paddock';

let world: ServiceWorld;
let season: RaceSeason;
test.before(async (t) => {
  t.timeout(300_000);
  world = await startServiceWorld({
    edges: 1,
    coordinators: 1,
    env: { CLOCK: 'simulated', RACE_TASKS: '4', QUALIFYING_THRESHOLD: '0.25' },
  });
  season = new RaceSeason(world, {
    ...{ miners: 4, validators: 3, seed: 1, taskCount: 8, qualifyingCount: 4 },
    hasFaults: false,
  });
  await season.start();
  await season.playDay(0);
  await season.time.advanceTo(season.time.nowMs() + 7 * 3_600_000);
  await untilOne(() => world.sql`select from race_bundle`);
  await evaluateOne();
});
test.after.always(() => world?.[Symbol.asyncDispose]());

async function untilOne(rows: () => PromiseLike<readonly unknown[]>): Promise<void> {
  await until(async () => (await rows()).length > 0, 60_000);
}

/** One more version, by a validator that fetches its pack and sends trajectories, as those of a season do not. */
async function evaluateOne(): Promise<void> {
  const [keypair] = await registerKeys(world, 'validator', { count: 1, seed: 9 });
  if (keypair === undefined) throw new Error('no key');
  await season.submitOf({ from: 0, to: 1 });
  const { baseUrls } = world.service;
  const { clock } = season.time;
  const validator = simulatedValidator({
    client: signedClient({ baseUrls, keypair, scheme: 'session', clock }),
    rule: { seed: 1, taskMs: 0, artifactsPerRun: 2 },
    ...{ clock, who: 'sender', idleMs: 100, onEvent: () => undefined },
  });
  await validator.start();
  await untilOne(
    () => world.sql`
    select from episode_artifact join evaluation_run using (eval_run_id) where status = 'SUCCESS'`,
  );
  await validator.stop();
}

/** As an operator types it. */
async function command(env: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const child = spawn(process.execPath, [main, '--objects', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...systemEnv(), ...env },
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [out, error, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, out, error };
}

async function access() {
  const { neighbours, dataDir } = world;
  const { s3AccessKeyId, s3SecretAccessKey } = await worldSecrets(dataDir);
  return {
    DATABASE_URL: neighbours.access.edge.databaseUrl,
    S3_ENDPOINT: neighbours.s3Endpoint,
    S3_BUCKET: bucket,
    S3_ACCESS_KEY_ID: s3AccessKeyId,
    S3_SECRET_ACCESS_KEY: s3SecretAccessKey,
  };
}

async function client() {
  const env = await access();
  return plainClient({
    endpoint: env.S3_ENDPOINT,
    bucket,
    accessKeyId: env.S3_ACCESS_KEY_ID,
    secretAccessKey: env.S3_SECRET_ACCESS_KEY,
  });
}

test.serial('every file that a running service wrote rows of is there, to the byte', async (t) => {
  const { code, out, error } = await command(await access(), '--hash');

  t.log(out);
  t.is(code, 0, out + error);
  for (const kind of fileKindIds) {
    const [, there, named] =
      new RegExp(`^${kind} +([\\d,]+) of ([\\d,]+) there`, 'm').exec(out) ?? [];
    t.is(there, named, kind);
    // Of an environment pack nobody sends logs.
    if (!kind.endsWith('-logs')) t.true(Number(named) > 0, kind);
  }
});

test.serial(
  'what is gone is named, with what it hurts, and by all keys in a document',
  async (t) => {
    const [queued] = await world.sql<{ id: string; key: string }[]>`
    select agent_version_id as id, 'code/' || code_sha256 || '.py' as key
    from agent_version order by submitted_at desc limit 1`;
    const [pack] = await world.sql<{ key: string }[]>`
    select 'packs/' || pack_sha256 || '.tar.gz' as key from pack`;
    const [bundle] = await world.sql<{ key: string }[]>`
    select 'bundles/' || sha256 || '.json.gz' as key from race_bundle`;
    const lost = [queued?.key ?? '', pack?.key ?? '', bundle?.key ?? ''];
    const s3 = await client();
    for (const Key of lost) await s3.send(new DeleteObjectCommand({ Bucket: bucket, Key }));

    const lines = await command(await access());
    const document = await command(await access(), '--json');

    t.deepEqual([lines.code, document.code], [1, 1], lines.error + document.error);
    t.true(lines.out.includes(`    ${queued?.key} (version ${queued?.id}, `), lines.out);
    t.regex(lines.out, /\(suite 1, active: no race gets its tasks\)/);
    t.regex(lines.out, /: 3 missing, 0 wrong, 0 not readable\.\n$/);
    const { verdict, kinds } = JSON.parse(document.out);
    t.is(verdict, 'lost');
    const missing = kinds.flatMap(({ missing_files }: { missing_files: { key: string }[] }) =>
      missing_files.map(({ key }) => key),
    );
    t.deepEqual(missing, lost);
  },
);

test.serial('a lost or damaged pack is there again once it is uploaded again', async (t) => {
  await world.operator.uploadPack(`${world.dataDir}/season-1.tar.gz`);
  t.regex((await command(await access(), '--only', 'packs')).out, /^packs +1 of 1 there/m);

  const [pack] = await world.sql<{ key: string }[]>`
    select 'packs/' || pack_sha256 || '.tar.gz' as key from pack`;
  const s3 = await client();
  const place = { Bucket: bucket, Key: pack?.key ?? '' };
  await s3.send(new PutObjectCommand({ ...place, Body: 'half a pack' }));
  const wrong = await command(await access(), '--only', 'packs');
  t.is(wrong.code, 1);
  t.regex(wrong.out, /wrong 1: upload each again/);

  await world.operator.uploadPack(`${world.dataDir}/season-1.tar.gz`);
  t.is((await command(await access(), '--only', 'packs', '--hash')).code, 0);
});

test.serial('a lost file is there again once anybody submits it again', async (t) => {
  const onlyCode = ['--only', 'code', '--hash'];
  t.is((await command(await access(), ...onlyCode)).code, 1);
  const [keypair] = await registerKeys(world, 'miner', { count: 1, seed: 8 });
  if (keypair === undefined) return t.fail();
  const { baseUrls } = world.service;
  const { clock } = season.time;
  const miner = {
    client: signedClient({ baseUrls, keypair, scheme: 'session', clock }),
    ...{ who: 'miner', onEvent: () => undefined },
  };

  await submitAgent(miner, { agentName: 'again', code: seasonCode(4) });

  const { code, out } = await command(await access(), ...onlyCode);
  t.is(code, 0, out);
  t.regex(out, /^code +6 of 6 there/m);
});

test.serial(
  'what cannot be asked is one sentence and code 2, and nothing is said to be missing',
  async (t) => {
    const env = await access();
    for (const [changes, said] of [
      [
        { S3_ENDPOINT: 'http://127.0.0.1:1' },
        /^paddock: the object store cannot be asked: ECONNREFUSED\n$/,
      ],
      [{ S3_SECRET_ACCESS_KEY: 'x' }, /^paddock: the object store cannot be asked: 403 \w+\n$/],
      [{ S3_BUCKET: 'padock' }, /^paddock: the bucket padock is not there: [^\n]+\n$/],
      [{ S3_BUCKET: '' }, /^paddock: set S3_BUCKET: [^\n]+\n$/],
      [{ S3_ENDPOINT: 'here' }, /^paddock: S3_ENDPOINT must be a URL [^\n]+\n$/],
      [{ DATABASE_URL: '' }, /^paddock: set DATABASE_URL, or give --database\n$/],
      [
        { DATABASE_URL: 'postgres://a@127.0.0.1:1/b' },
        /^paddock: the database cannot be read: [^\n]+\n$/,
      ],
    ] as const) {
      const { code, out, error } = await command({ ...env, ...changes });
      t.deepEqual({ code, out }, { code: 2, out: '' }, JSON.stringify(changes));
      t.regex(error, said);
    }
  },
);
