/**
 * Takes ten routes, fields and codes at random from copies of the product, and shows each time that a
 * test of the contract fails: `npm run proof:contract -- [SEED] [COUNT]`. Exits with 1 when one did not.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lineOf } from '../commands/command-line.ts';
import { proofContractCommand } from '../commands/proof-commands.ts';
import { allNamings, testsOf } from '../spec/coverage.ts';
import { allRows } from '../spec/rows.ts';
import { seededChoice } from '../support/coordinator-faults.ts';
import { temporaryPostgres } from '../support/temporary-servers.ts';
import { allMutations, type Mutation } from './mutations.ts';

const root = join(import.meta.dirname, '../..');
const { SEED: seed, COUNT: count } = lineOf(proofContractCommand);
const folders = ['actors', 'apps', 'infra', 'machines', 'test'];
const description = 'test/contract/description.pg.test.ts';

interface Verdict {
  readonly failed: readonly string[];
  readonly passed: number;
}

interface Killer {
  readonly file: string;
  readonly title: string;
}

/** Kinds in turn; within a kind, at random. */
function chosen(): Mutation[] {
  const choose = seededChoice(seed);
  const kinds = Object.values(allMutations());
  const taken = new Set<Mutation>();
  for (let turn = 0; taken.size < count; turn += 1) {
    const kind = kinds[turn % kinds.length] ?? [];
    const mutation = kind[choose(kind.length)];
    if (mutation !== undefined) taken.add(mutation);
  }
  return [...taken];
}

/** The quickest first: what a description lacks needs no world to be seen. */
function filesOf({ rowId }: Mutation): readonly string[] {
  const namings = allNamings().filter(({ file }) => file.startsWith('test/contract/'));
  const rows = allRows().filter(({ id }) => id === rowId);
  const files = new Set(rows.flatMap((row) => testsOf(row, namings)).map(({ file }) => file));
  return [description, ...files].filter(unique);
}

const unique = <T>(value: T, index: number, all: readonly T[]) => all.indexOf(value) === index;

async function copied(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'paddock-mutant-'));
  const filter = (source: string) => !source.endsWith('node_modules');
  for (const name of folders)
    await cp(join(root, name), join(folder, name), { recursive: true, filter });
  for (const name of ['package.json', 'tsconfig.json'])
    await cp(join(root, name), join(folder, name));
  for (const name of ['node_modules', 'infra/embedded/node_modules']) {
    await symlink(join(root, name), join(folder, name));
  }
  return folder;
}

async function run(folder: string, file: string, pgUrl: string): Promise<Verdict> {
  const cli = join(root, 'node_modules/ava/entrypoints/cli.js');
  const ava = spawn(process.execPath, [cli, '--tap', file], {
    cwd: folder,
    env: { ...process.env, PADDOCK_TEST_PG_URL: pgUrl },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let output = '';
  ava.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  await once(ava, 'close');
  const lines = output.split('\n');
  const failed = lines.filter((line) => line.startsWith('not ok'));
  return {
    failed: failed.map((line) => line.replace(/^not ok \d+ - /, '')),
    passed: lines.filter((line) => line.startsWith('ok')).length,
  };
}

/** The first test that fails, with its file; undefined when the mutant lives. */
async function killer(mutation: Mutation, pgUrl: string): Promise<Killer | undefined> {
  const folder = await copied();
  try {
    mutation.apply(folder);
    for (const file of filesOf(mutation)) {
      const { failed, passed } = await run(folder, file, pgUrl);
      // A file of which nothing passes did not even start.
      if (failed[0] !== undefined && passed > 0) return { file, title: failed[0] };
    }
    return undefined;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A test that fails anyway would kill every mutant. */
async function failingAnyway(files: ReadonlySet<string>, pgUrl: string): Promise<string[]> {
  const folder = await copied();
  const found: string[] = [];
  try {
    for (const file of files) {
      const { failed, passed } = await run(folder, file, pgUrl);
      if (failed.length > 0 || passed === 0) found.push(`${file}: ${failed[0] ?? 'no test ran'}`);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return found;
}

const postgres = await temporaryPostgres();
try {
  const mutations = chosen();
  const killers = new Set<string>();
  let alive = 0;
  for (const mutation of mutations) {
    const found = await killer(mutation, postgres.url);
    if (found === undefined) alive += 1;
    else killers.add(found.file);
    const by = found === undefined ? '' : `${found.file}: ${found.title}`;
    console.log(`${found === undefined ? 'ALIVE ' : 'killed'} | ${mutation.what} | ${by}`);
  }
  const unsound = await failingAnyway(killers, postgres.url);
  for (const failure of unsound) console.log(`fails without any mutation: ${failure}`);
  console.log(`\nseed ${seed}: ${mutations.length - alive} of ${mutations.length} killed`);
  process.exitCode = alive === 0 && unsound.length === 0 ? 0 : 1;
} finally {
  await postgres.stop();
}
