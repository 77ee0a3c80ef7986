import test from 'ava';
import { imports, offences, type Source, source, sources } from './sources.ts';

/** Who may import what of ours. The first rule whose folder fits a file is its rule. */
const arrows: readonly { from: RegExp; to: RegExp }[] = [
  { from: /^machines\//, to: /^machines\// },
  {
    from: /^actors\/runtime\//,
    to: /^(machines|infra\/ports|actors\/runtime)\/|^actors\/.*\bmessages\.ts$/,
  },
  { from: /^infra\/ports\//, to: /^(machines|infra\/ports)\// },
  { from: /^infra\//, to: /^(machines|infra)\// },
  { from: /^apps\//, to: /^(machines|infra|actors|apps)\// },
  { from: /^test\//, to: /./ },
];

/** Packages that belong to one layer, and the folders in which they may appear. */
const packages: readonly { name: RegExp; in: RegExp }[] = [
  { name: /^xstate(\/|$)/, in: /^(machines|test)\// },
  { name: /^(postgres|nats|@nats-io\/.*|@aws-sdk\/.*)$/, in: /^(infra|test)\// },
];

const ours = /^(apps|actors|machines|infra|test)\//;

function* forbiddenImports(file: Source): Generator<string> {
  for (const target of imports(file)) {
    if (ours.test(target) && !mayImport(file.path, target)) yield `imports ${target}`;
    if (!ours.test(target) && !mayUse(file.path, target)) yield `uses ${target}`;
  }
}

function mayImport(path: string, target: string): boolean {
  // An actor is a folder; of another one it sees the messages and nothing else.
  const actor = /^actors\/(services\/)?[^/]+\//.exec(path)?.[0];
  if (actor !== undefined && target.startsWith(actor)) return true;
  const rule = arrows.find(({ from }) => from.test(path)) ?? actorRule;
  return rule.to.test(target);
}

// Files straight under actors/services are what its actors share, like actors/runtime.
const actorRule = {
  to: /^(machines|infra\/ports|actors\/runtime)\/|^actors\/services\/[^/]+$|^actors\/(.+\/)?messages\.ts$/,
};

function mayUse(path: string, name: string): boolean {
  if (path.startsWith('machines/')) return /^(xstate|zod)(\/|$)/.test(name);
  return packages.every((rule) => !rule.name.test(name) || rule.in.test(path));
}

test('every import follows the arrows', (t) => {
  t.deepEqual(offences(sources('ts', 'tsx'), forbiddenImports), []);
});

const planted: readonly [path: string, line: string][] = [
  ['machines/race/machine.ts', `import { readFile } from 'node:fs/promises';`],
  ['machines/race/machine.ts', `import type { Clock } from '../../infra/ports/clock.ts';`],
  ['actors/race-coordinator/store.ts', `import { evalTables } from '../lease-manager/store.ts';`],
  ['actors/services/auth/login.ts', `import { store } from '../packs/store.ts';`],
  [
    'actors/race-coordinator/store.ts',
    `import { createSql } from '../../infra/postgres/client.ts';`,
  ],
  ['actors/race-coordinator/store.ts', `import postgres from 'postgres';`],
  [
    'infra/nats/relay.ts',
    `import type { ClaimWork } from '../../actors/lease-manager/messages.ts';`,
  ],
  ['infra/ports/clock.ts', `import { systemClock } from '../clock/system-clock.ts';`],
  ['apps/edge/main.ts', `export { memoryStore } from '../../test/support/memory-store.ts';`],
  ['apps/edge/server.ts', `const { connect } = await import('@nats-io/nats-core');`],
  ['apps/edge/server.ts', `import { createMachine } from 'xstate';`],
];
for (const [path, line] of planted) {
  test(`the arrows catch in ${path}: ${line}`, (t) => {
    t.is(offences([source(path, line)], forbiddenImports).length, 1);
  });
}

const allowed: readonly [path: string, line: string][] = [
  [
    'actors/race-coordinator/close.ts',
    `import type { ClaimWork } from '../lease-manager/messages.ts';`,
  ],
  ['actors/services/auth/login.ts', `import { tables } from './store.ts';`],
  ['actors/lease-manager/store.ts', `import type { Sql } from '../../infra/ports/sql.ts';`],
  ['infra/postgres/client.ts', `import postgres from 'postgres';`],
  ['apps/coordinator/main.ts', `import { host } from '../../actors/runtime/host.ts';`],
];
for (const [path, line] of allowed) {
  test(`the arrows let pass in ${path}: ${line}`, (t) => {
    t.deepEqual(offences([source(path, line)], forbiddenImports), []);
  });
}
