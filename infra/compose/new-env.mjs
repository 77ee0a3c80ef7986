// Writes the .env that docker-compose.yml asks for: .env.example with a new secret wherever it wants one,
// and what the command line names. Plain JavaScript, for a machine that has Node and an engine, and
// nothing of ours installed.
//
//   node infra/compose/new-env.mjs CHAIN_RPC_URL=ADDRESS NETUID=NUMBER [NAME=VALUE …]
//   node infra/compose/new-env.mjs --check
//
// Ends with 0 when it was written; with 2, and nothing changed, when an argument cannot be taken or
// a .env is there already: its secrets are those of a database and of sealed credentials.
// --check writes nothing, and ends with 2 where .env has a name that docker-compose.yml does not ask for: compose
// would ignore it without a word.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';

const hex = (bytes) => randomBytes(bytes).toString('hex');
const base64 = (bytes) => randomBytes(bytes).toString('base64');

/** What .env.example says of each: letters and digits within URLs, a letter first for the broker. */
const secrets = {
  POSTGRES_PASSWORD: () => hex(24),
  DATABASE_EDGE_PASSWORD: () => hex(24),
  DATABASE_COORDINATOR_PASSWORD: () => hex(24),
  NATS_EDGE_PASSWORD: () => `n${hex(24)}`,
  NATS_COORDINATOR_PASSWORD: () => `n${hex(24)}`,
  S3_SECRET_ACCESS_KEY: () => hex(32),
  OPERATOR_TOKENS: () => `operator:${hex(32)}`,
  CREDENTIAL_KEYS: () => `k1:${base64(32)}`,
  BUNDLE_SIGNING_KEY: () => base64(32),
  RACE_SECRET: () => base64(32),
};

const root = resolve(import.meta.dirname, '../..');
const file = join(root, '.env');
const read = (name) => readFileSync(resolve(root, name), 'utf8');
/** What it puts in for a name, and what it passes on; others have their values there. */
const asks = /\$\{(?<filled>[A-Z][A-Z0-9_]*)|^ +(?<passed>[A-Z][A-Z0-9_]*): *$/gm;
const askedBy = (name) =>
  Array.from(read(name).matchAll(asks), ({ groups }) => groups.filled ?? groups.passed);
const asked = new Set(askedBy('docker-compose.yml'));

/** For a person; nothing was written. */
class Refused extends Error {}

function refuse(text) {
  throw new Refused(text);
}

function readArguments(args) {
  const given = new Map();
  for (const arg of args) {
    const { name, value } = /^(?<name>[A-Z][A-Z0-9_]*)=(?<value>.+)$/.exec(arg)?.groups ?? {};
    if (name === undefined) refuse(`"${arg}" is not NAME=VALUE, with a name in capitals.`);
    // Compose would replace or cut what stands behind these.
    if (/[\s'"$#\\]/.test(value))
      refuse(`${name} has a blank, quote, $, # or \\ in it: edit .env.`);
    if (!asked.has(name)) refuse(`docker-compose.yml asks for no ${name}.`);
    given.set(name, value);
  }
  return given;
}

/** Every `NAME=value` of the example with its value; other lines as they are. */
function fill(example, given) {
  const open = new Map(given);
  const missing = [];
  let made = 0;
  const make = (name) => {
    if (Object.hasOwn(secrets, name)) made++;
    return secrets[name]?.();
  };
  const lines = example.split('\n').map((line) => {
    const { name, value } = /^(?<name>[A-Z][A-Z0-9_]*)=(?<value>.*)$/.exec(line)?.groups ?? {};
    if (name === undefined) return line;
    const filled = open.get(name) ?? (value === '' ? make(name) : value);
    open.delete(name);
    if (filled === undefined) missing.push(name);
    return `${name}=${filled}`;
  });
  if (missing.length > 0) {
    refuse(`Name ${missing.join(' and ')} as well: NAME=VALUE. .env.example says what each is.`);
  }
  const others = [...open].map(([name, value]) => `${name}=${value}`);
  const parts = [lines.join('\n').trimEnd(), ...(others.length > 0 ? ['', ...others] : []), ''];
  return { text: parts.join('\n'), made };
}

function write(text) {
  try {
    // Its reader alone, from its first byte on.
    writeFileSync(file, text, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    refuse(`${file} is there already, and what it seals and opens needs its secrets. Edit it.`);
  }
}

/** Files of one's own that compose reads as well, by itself or by what COMPOSE_FILE names. */
function ownFiles(named = '') {
  const overrides = ['docker-compose', 'compose'].flatMap((start) => [
    `${start}.override.yml`,
    `${start}.override.yaml`,
  ]);
  const all = [...overrides, ...named.split(/[:;]/).filter((each) => each !== '')];
  return all.filter((each) => existsSync(resolve(root, each)));
}

/** Compose's own as well. */
function isKnown(name, own) {
  return asked.has(name) || /^(COMPOSE|DOCKER|BUILDKIT)_/.test(name) || own.has(name);
}

/** One that differs by two letters at most, as infra/config/nearest-key.ts has it. */
function nearest(name) {
  const near = [...asked]
    .map((each) => [distance(name.toUpperCase(), each), each])
    .sort(([a], [b]) => a - b);
  const [[letters, found]] = near;
  return letters <= 2 ? found : undefined;
}

function distance(left, right) {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...left].entries()) {
    const next = [i + 1];
    for (let j = 1; j <= right.length; j++) {
      const replaced = row[j - 1] + (letter === right[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j] + 1, next[j - 1] + 1));
    }
    row = next;
  }
  return row[right.length];
}

function check() {
  if (!existsSync(file)) refuse(`There is no ${file}: make one, by this without --check.`);
  const env = parseEnv(readFileSync(file, 'utf8'));
  const own = new Set(ownFiles(env.COMPOSE_FILE).flatMap(askedBy));
  const unknown = Object.keys(env).filter((name) => !isKnown(name, own));
  if (unknown.length === 0) return;
  const lines = unknown.map((name) => {
    const meant = nearest(name);
    const hint = meant === undefined ? '.' : `: did you mean ${meant}?`;
    return `${file}: docker-compose.yml asks for no ${name}${hint}`;
  });
  refuse(lines.join('\n'));
}

function make(args) {
  const given = readArguments(args);
  const { text, made } = fill(read('.env.example'), given);
  write(text);
  console.log(`${file}: ${made} secrets made, for you alone to read`);
}

try {
  const args = process.argv.slice(2);
  if (args.length === 1 && args[0] === '--check') check();
  else make(args);
} catch (error) {
  if (!(error instanceof Refused)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
