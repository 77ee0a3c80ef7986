import { execFile } from 'node:child_process';
import { copyFile, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { systemEnv } from '../../support/system-env.ts';
import { temporaryFolder } from '../../support/temporary-servers.ts';

const root = join(import.meta.dirname, '../../..');
const parts = ['infra/compose/new-env.mjs', '.env.example', 'docker-compose.yml'];
const named = ['CHAIN_RPC_URL=https://node.example:443/a?b=c', 'NETUID=14'];

/** As in a clone of one's own: it writes into the folder that it stands in. */
async function cloneOf(t: ExecutionContext): Promise<string> {
  const folder = await temporaryFolder();
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'infra/compose'), { recursive: true });
  for (const part of parts) await copyFile(join(root, part), join(folder, part));
  return folder;
}

function newEnv(folder: string, args: readonly string[]): Promise<{ code: number; said: string }> {
  const program = join(folder, 'infra/compose/new-env.mjs');
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { env: systemEnv() }, (error, out, err) => {
      resolve({ code: Number(error?.code ?? 0), said: out + err });
    });
  });
}

test('every secret is made anew, for its owner alone, and what was named stands there', async (t) => {
  const [one, other] = [await cloneOf(t), await cloneOf(t)];
  const args = [...named, 'LEASE_SECONDS=60', 'S3_ACCESS_KEY_ID=shop'];

  t.deepEqual(await newEnv(one, args), {
    code: 0,
    said: `${join(one, '.env')}: 10 secrets made, for you alone to read\n`,
  });
  await newEnv(other, args);

  const texts = await Promise.all([one, other].map((each) => readFile(join(each, '.env'), 'utf8')));
  const [first = {}, second = {}] = texts.map((text) => parseEnv(text));
  t.is((await stat(join(one, '.env'))).mode & 0o777, 0o600);
  t.is(first['CHAIN_RPC_URL'], 'https://node.example:443/a?b=c');
  t.is(first['LEASE_SECONDS'], '60');
  t.is(first['S3_ACCESS_KEY_ID'], 'shop');
  const compose = await readFile(join(root, 'docker-compose.yml'), 'utf8');
  const demanded = [...compose.matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name ?? '');
  for (const name of demanded) t.truthy(first[name], name);
  const secrets = demanded.filter((name) => /PASSWORD|SECRET|TOKENS|KEYS?$/.test(name));
  for (const name of new Set(secrets)) t.not(first[name], second[name], name);
});

test('what cannot be taken is refused in one line, and nothing is written', async (t) => {
  const folder = await cloneOf(t);
  const refused: readonly [args: readonly string[], said: RegExp][] = [
    [[], /^Name CHAIN_RPC_URL and NETUID as well/],
    [['NETUID=14'], /^Name CHAIN_RPC_URL as well/],
    [[...named, 'LEASE_SECOND=60'], /^docker-compose.yml asks for no LEASE_SECOND\.$/m],
    [[...named, 'S3_BUCKET=mine'], /^docker-compose.yml asks for no S3_BUCKET\.$/m],
    [[...named, 'verbose'], /^"verbose" is not NAME=VALUE/],
    [[...named, 'S3_SECRET_ACCESS_KEY=a$b'], /^S3_SECRET_ACCESS_KEY has a blank, quote, \$/],
  ];
  for (const [args, said] of refused) {
    const outcome = await newEnv(folder, args);
    t.is(outcome.code, 2, args.join(' '));
    t.regex(outcome.said, said);
    t.is(outcome.said.trim().split('\n').length, 1, outcome.said);
  }
  await t.throwsAsync(stat(join(folder, '.env')), { code: 'ENOENT' });

  await writeFile(join(folder, '.env'), 'POSTGRES_PASSWORD=in-use\n');
  const again = await newEnv(folder, named);
  t.is(again.code, 2);
  t.regex(again.said, /is there already/);
  t.is(await readFile(join(folder, '.env'), 'utf8'), 'POSTGRES_PASSWORD=in-use\n');
});

test('a name in .env that nobody reads is named, with the one that was meant', async (t) => {
  const folder = await cloneOf(t);
  const check = () => newEnv(folder, ['--check']);
  const none = await check();
  t.is(none.code, 2);
  t.regex(none.said, /There is no .*\.env: /);

  await newEnv(folder, [...named, 'LEASE_SECONDS=60']);
  t.deepEqual(await check(), { code: 0, said: '' });

  const file = join(folder, '.env');
  const text = await readFile(file, 'utf8');
  await writeFile(
    file,
    `${text}LEASE_SECOND=90\n export race_limit_seconds=5\nS3_BUCKET=mine\n# HEARTBEAT=1\nCOMPOSE_PROJECT_NAME=shop\n`,
  );
  const wrong = await check();
  t.is(wrong.code, 2);
  t.deepEqual(wrong.said.trim().split('\n'), [
    `${file}: docker-compose.yml asks for no LEASE_SECOND: did you mean LEASE_SECONDS?`,
    `${file}: docker-compose.yml asks for no S3_BUCKET.`,
    `${file}: docker-compose.yml asks for no race_limit_seconds: did you mean RACE_LIMIT_SECONDS?`,
  ]);

  // What stands in a file of one's own beside it is asked for as well.
  await writeFile(file, `${text}MY_PORT=1\n`);
  t.is((await check()).code, 2);
  await writeFile(join(folder, 'compose.override.yaml'), 'x-mine:\n  MY_PORT:\n');
  t.deepEqual(await check(), { code: 0, said: '' });
  await writeFile(file, `${text}COMPOSE_FILE=docker-compose.yml:mine.yml\nOTHER=1\n`);
  await writeFile(join(folder, 'mine.yml'), 'x-mine:\n  OTHER:\n');
  t.deepEqual(await check(), { code: 0, said: '' });
});
