import test from 'ava';
import { codeLines, offences, type Source, source, sources } from './sources.ts';

interface Ban {
  readonly title: string;
  readonly pattern: RegExp;
  readonly exceptIn: RegExp;
  /** Lines it must catch. */
  readonly planted: readonly string[];
}

const bans: readonly Ban[] = [
  {
    title: 'only infra/clock reads a clock or sets a timer',
    // A socket's own idle limit is no timer of ours: the kernel's traffic resets it.
    pattern:
      /\bDate\.now\b|\bnew Date(\(\)|[^\w(])|\bperformance\.now\b|(?<!socket\.)\bset(Timeout|Interval)\(|\bTemporal\.Now\b|\bAbortSignal\.timeout\b|\bhrtime\b|node:timers/,
    // A browser has nothing of ours but its own, and what installs us runs before anything else.
    exceptIn:
      /^(infra\/clock\/|infra\/bootstrap\.mjs$|test\/|apps\/dashboard\/browser\/clock\.ts$)/,
    planted: [
      'const at = Date.now();',
      'const at = new Date();',
      'setTimeout(tick, 10);',
      'const at = Temporal.Now.instant();',
      `import { setTimeout } from 'node:timers/promises';`,
    ],
  },
  {
    title: 'only infra/ids is random',
    pattern: /\bMath\.random\b|\brandomUUID\b|\bgetRandomValues\b/,
    exceptIn: /^(infra\/ids|test)\//,
    planted: ['const share = Math.random();', 'const id = crypto.randomUUID();'],
  },
  {
    title: 'only the main file of a process ends it',
    pattern: /\bprocess\.exit\(/,
    // What the main files of an edge and a coordinator share; and the judge is the main file of CPython's process,
    // which must not outlive a file that broke it. Whether a process can be watched as asked shows before any main file.
    exceptIn:
      /^(apps\/([^/]+\/main|serve)\.ts|infra\/otel\/metrics\.ts|infra\/python\/cpython\/judge-process\.ts|infra\/[^/]+\.mjs|test\/)/,
    planted: ['process.exit(1);'],
  },
  {
    title: 'only the main file of a process reads the environment',
    pattern: /\bprocess\.env\b/,
    // OpenTelemetry is registered by --import, before any main file; and where Node found its libraries, which a
    // process of CPython is told as well, is no setting of ours.
    exceptIn:
      /^(apps\/[^/]+\/main\.ts|infra\/otel\/register\.ts|infra\/python\/cpython\/judge-child\.ts|infra\/[^/]+\.mjs|test\/)/,
    planted: ['const port = process.env.PORT;', `const port = process.env['PORT'];`],
  },
  {
    title: 'only migrations and the ends of a transaction run SQL that is no tagged template',
    pattern: /\.unsafe\(/,
    // The words of `begin` are no parameters; they come from a closed set.
    exceptIn: /^infra\/postgres\/(migrate|transaction)\.ts$|^test\//,
    planted: ['await sql.unsafe(text);'],
  },
  {
    // A row variable in a function has the table's own columns, whatever they are.
    title: 'a query lists its columns',
    pattern: /\bselect\s+\*(?! into v_)/i,
    exceptIn: /^test\//,
    planted: ['select * from race', 'select * into strict race'],
  },
  {
    title:
      'only machines/refusal.ts finds the words of a refusal, so that each says what to do next',
    pattern: /\bnew Fault\(/,
    // What an owner refused is passed on in the words that it came in.
    exceptIn: /^(machines\/refusal|infra\/nats\/refused-reply)\.ts$|^test\//,
    planted: [`throw new Fault('LEASE_EXPIRED', 'the lease is over');`],
  },
  {
    // The path of an address keeps %20 where a folder has a space, and no file has such a name.
    title: 'the place of a file is had by fileURLToPath, not by the path of its address',
    pattern: /\bimport\.meta\.url\)\.pathname\b|\broot\)\.pathname\b/,
    exceptIn: /^test\/tidy\//,
    planted: [
      "const main = new URL('main.ts', import.meta.url).pathname;",
      "const main = new URL('main.ts', root).pathname;",
    ],
  },
  {
    title: 'a machine has no effects of its own',
    pattern: /\b(invoke|after)\s*:|\b(spawn|spawnChild|sendTo)\(/,
    exceptIn: /^(?!machines\/)/,
    planted: ['after: { 1000: "stale" },', 'invoke: { src: "claim" },'],
  },
];

function breaks({ pattern, exceptIn }: Ban) {
  return function* (file: Source): Generator<string> {
    if (exceptIn.test(file.path)) return;
    for (const [index, line] of codeLines(file).entries()) {
      if (pattern.test(line)) yield `${index + 1}: ${line.trim()}`;
    }
  };
}

for (const ban of bans) {
  test(ban.title, (t) => {
    t.deepEqual(offences(sources('ts', 'tsx', 'mjs', 'sql'), breaks(ban)), []);
  });

  for (const line of ban.planted) {
    test(`${ban.title}: caught in ${line}`, (t) => {
      t.is(offences([source('machines/race/planted.ts', line)], breaks(ban)).length, 1);
    });
  }
}

// Spelled apart, so that this file passes its own test.
const leftover = new RegExp(
  `\\b(${['TO', 'FIX', 'HA'].map((start, i) => start + ['DO', 'ME', 'CK'][i]).join('|')})\\b(?!\\(#\\d+\\))`,
);

function* leftovers({ lines }: Source): Generator<string> {
  for (const [index, line] of lines.entries()) {
    if (leftover.test(line)) yield `${index + 1}: ${line.trim()}`;
  }
}

test('what is left to do names its issue', (t) => {
  t.deepEqual(offences(sources('ts', 'tsx', 'mjs', 'sql'), leftovers), []);
});

test('what is left to do without an issue is caught', (t) => {
  const bare = source('infra/planted.ts', ['// TO', 'DO: later'].join(''));
  const named = source('infra/planted.ts', ['// TO', 'DO(#12): later'].join(''));

  t.is(offences([bare], leftovers).length, 1);
  t.is(offences([named], leftovers).length, 0);
});

test('code may follow and precede a comment that names what is banned', (t) => {
  const [clockBan] = bans;
  if (clockBan === undefined) return t.fail();
  const file = source('infra/planted.ts', '// Not Date.now().\nconst a = 1; // nor new Date()');

  t.deepEqual(offences([file], breaks(clockBan)), []);
});
