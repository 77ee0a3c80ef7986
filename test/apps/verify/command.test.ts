import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { readOptions, UsageError } from '../../../apps/verify/options.ts';
import { createEd25519Signer } from '../../../infra/crypto/ed25519.ts';
import type { RaceBundle } from '../../../machines/race/bundle.ts';
import { paddockUser } from '../../support/paddock-command.ts';
import { recomputed, sealed, trialBundle } from '../../support/trial-bundle.ts';

const main = fileURLToPath(new URL('../../../apps/verify/main.ts', import.meta.url));
const signer = createEd25519Signer(new Uint8Array(32).fill(1));

async function command(...args: readonly string[]) {
  const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [out, error, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, out, error };
}

async function saved(t: ExecutionContext, bundle: RaceBundle): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'paddock-verify-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'race.json.gz');
  const { bytes, seal } = sealed(bundle, signer);
  await writeFile(path, bytes);
  await writeFile(`${path}.manifest.json`, JSON.stringify(seal));
  return path;
}

// As large as races get: 342 entrants, 2 validators, 90 tasks.
test('the largest race is computed again in less than a minute', async (t) => {
  const of = { entrantCount: 342, taskCount: 90, top: { name: '4', score: '0.4731' } };
  const path = await saved(t, trialBundle(of));

  const { code, out, error } = await command('--bundle', path, '--public-key', signer.publicKey);

  t.is(code, 0, error);
  t.regex(out, /field +342 entrants, 684 runs, 90 tasks/);
  const seconds = /agree, to the last bit, in (\d+\.\d) s/.exec(out)?.[1];
  t.true(Number(seconds) < 60, out);
});

test('a difference is one named line and exit code 1', async (t) => {
  const bundle = structuredClone(trialBundle());
  const path = await saved(t, { ...bundle, race: { ...bundle.race, top50_mean: '0.0001' } });

  const { code, out } = await command('--bundle', path);

  t.is(code, 1);
  t.regex(
    out,
    /^anchor \(top50_mean\): said "0\.0001", computed "0\.\d{4}"\n1 of \d+ values differ/,
  );
});

/** Whatever moves a cursor, but for ends of lines. */
const notPlain = /[^\P{Cc}\n]/u;

test('nothing that a bundle says moves the cursor of whoever reads what differs', async (t) => {
  const hotkey = 'x\u001b[2J\u001b[HAll 9 values agree\u009b0m';
  const twice = structuredClone(trialBundle());
  const entrants = twice.entrants.map((each, at) =>
    at < 2 ? { ...each, miner_hotkey: hotkey } : each,
  );
  const differing = await command('--bundle', await saved(t, { ...twice, entrants }));
  t.is(differing.code, 1);
  t.regex(
    differing.out,
    /^entrants of hotkey x\ufffd\[2J\ufffd\[HAll 9 values agree\ufffd0m: said/m,
  );

  const path = await saved(t, { ...twice, [hotkey]: 1 } as RaceBundle);
  const refused = await command('--bundle', path);
  t.is(refused.code, 1);
  t.regex(refused.error, /^paddock: the bundle has an unknown format at .+\ufffd\[2J/);

  const seal = { ...sealed(twice, signer).seal, public_key: hotkey };
  await writeFile(`${path}.manifest.json`, JSON.stringify(seal));
  const signed = await command('--bundle', path, '--public-key', signer.publicKey);
  for (const { out, error } of [differing, refused, signed]) t.notRegex(out + error, notPlain);
  const line = await paddockUser(t, { url: 'http://127.0.0.1:2' });
  const told = await line.run('verify', '--bundle', path);
  t.notRegex(told.out + told.error, notPlain);
});

test('what cannot be believed is one sentence and exit code 1', async (t) => {
  const path = await saved(t, trialBundle());
  const other = '0'.repeat(64);
  const stranger = await command('--bundle', path, '--public-key', other);
  t.is(stranger.code, 1);
  t.regex(stranger.error, /^paddock: the bundle is signed by another key than yours: [^\n]+\n$/);

  await writeFile(path, 'x');
  const tampered = await command('--bundle', path);
  t.is(tampered.code, 1);
  t.regex(tampered.error, /^paddock: the bundle was changed: [^\n]+\n$/);

  const nobody = await command('--race', 'a', '--url', 'http://127.0.0.1:1');
  t.is(nobody.code, 1);
  t.regex(nobody.error, /^paddock: http:\/\/127.0.0.1:1\/[^\n]+ cannot be read\n$/);
});

test('a wrong command line says how to do it right, with exit code 2', async (t) => {
  const { code, error } = await command('--race', 'a');
  t.is(code, 2);
  t.is(error, 'paddock: give --race and --url, or --bundle; --help shows more\n');

  const url = ['--race', 'a', '--url', 'http://a/'];
  for (const args of [
    [],
    ['--bundel', 'x'],
    ['--race', 'a', '--url', 'a.example'],
    [...url, '--public-key', 'y'],
  ]) {
    t.throws(() => readOptions(args), { instanceOf: UsageError }, args.join(' '));
  }
  t.is(readOptions(['--help']), undefined);
  t.like(readOptions(url), { raceId: 'a', url: 'http://a' });
});

test('the live check is asked for alone, and by the numbers of invariants', (t) => {
  const database = 'postgresql://auditor@db.example/paddock';
  t.deepEqual(
    readOptions(['--live', '--database', database, '--only', 'inv-07', '--only', 'INV-50']),
    {
      live: {
        databaseUrl: database,
        only: ['INV-07', 'INV-50'],
        isJson: false,
        isQuiet: false,
        isBackup: false,
        statementTimeoutMs: 60_000,
      },
    },
  );
  for (const [args, message] of [
    [['--live', '--race', 'a'], /--live is about a database alone/],
    [['--live', '--database', 'http://a'], /must begin with postgres/],
    [['--live', '--only', 'INV-51'], /not INV-51/],
    [['--live', '--timeout-seconds', '0'], /whole number of seconds/],
    [['--only', 'INV-01'], /about --live/],
    [['--audit', '--backup'], /about --live/],
    [['--live', '--quiet', '--backup'], /on a --backup there are none/],
  ] as const) {
    t.throws(() => readOptions(args), { instanceOf: UsageError, message });
  }
});

test('files are asked for alone, and by their kinds', (t) => {
  const database = 'postgresql://reader@db.example/paddock';
  const args = ['--objects', '--database', database, '--only', 'Code', '--only', 'packs'];
  t.deepEqual(readOptions([...args, '--hash', '--timeout-seconds', '5']), {
    objects: {
      databaseUrl: database,
      only: ['code', 'packs'],
      isJson: false,
      isHashed: true,
      statementTimeoutMs: 5_000,
    },
  });
  t.like(readOptions(['--objects', '--json']), { objects: { only: [], isJson: true } });
  for (const more of [
    ['--live'],
    ['--audit'],
    ['--race', 'a'],
    ['--url', 'http://a'],
    ['--bundle', 'x'],
    ['--save', 'x'],
    ['--public-key', '0'.repeat(64)],
    ['--expect', '1:a'],
    ['--quiet'],
    ['--backup'],
  ]) {
    const message = /^--objects is about a database and its object store alone/;
    t.throws(() => readOptions(['--objects', ...more]), { instanceOf: UsageError, message });
  }
  for (const [wrong, message] of [
    [['--objects', '--only', 'INV-01'], /^--only takes code, .* with --objects, not INV-01$/],
    [['--objects', '--database', 'http://a'], /must begin with postgres/],
    [['--live', '--hash'], /^--hash is about --objects/],
    [['--hash'], /^--hash is about --objects/],
  ] as const) {
    t.throws(() => readOptions(wrong), { instanceOf: UsageError, message });
  }
});

test('what is told of a race that agrees is what its bundle says', async (t) => {
  const bundle = trialBundle({ top: { name: '4', score: '0.4731' } });
  const { out, code } = await command('--bundle', await saved(t, bundle));
  t.is(code, 0);
  const eliminated = bundle.entrants.filter(({ is_eliminated: isOut }) => isOut).length;
  t.not(eliminated * 2, bundle.entrants.length);
  t.regex(out, new RegExp(`^eliminated +${eliminated}$`, 'm'));
  const { promoted_agent_version_id: promoted, winner_agent_version_id: winner } = bundle.race;
  t.is(promoted, winner);
  t.regex(out, new RegExp(`^top +${winner} became top$`, 'm'));

  const stays = trialBundle({ top: { name: '0', score: '0.9900' } });
  t.is(stays.race.promoted_agent_version_id, null);
  const unchanged = await command('--bundle', await saved(t, stays));
  t.regex(unchanged.out, new RegExp(`^top +${stays.top_before?.agent_version_id} stays$`, 'm'));
});

test('what differs counts, also beside a doubt', async (t) => {
  const bundle = trialBundle();
  const entrants = bundle.entrants.map((each) =>
    each.race_rank === 2 ? { ...each, unfinished_reason: 'DISCARDED' } : each,
  );
  const doubtful = recomputed({ ...bundle, entrants });
  const race = { ...doubtful.race, top50_mean: '0.0001' };
  const { code, out } = await command('--bundle', await saved(t, { ...doubtful, race }));
  t.regex(out, /^in doubt: /m);
  t.regex(out, /^1 of \d+ values differ\.$/m);
  t.is(code, 1);
});

test('a live check of no database is one sentence and exit code 2', async (t) => {
  const nobody = await command('--live', '--database', 'postgres://a@127.0.0.1:1/b');
  t.is(nobody.code, 2);
  t.regex(nobody.error, /^paddock: the database cannot be read: [^\n]+\n$/);
});

test('what stays on trust is said, and a doubt is no agreement of all', async (t) => {
  const bundle = trialBundle();
  const plain = await command('--bundle', await saved(t, bundle));
  t.is(plain.code, 0);
  t.regex(
    plain.out,
    /^On trust: with which qualifying score or pin .+\n.+\nWithout the service also: [^\n]+\nAll /m,
  );

  const entrants = bundle.entrants.map((each) =>
    each.race_rank === 2 ? { ...each, unfinished_reason: 'DISCARDED' } : each,
  );
  const forged = await command('--bundle', await saved(t, recomputed({ ...bundle, entrants })));
  t.is(forged.code, 0);
  t.regex(
    forged.out,
    /^in doubt: version \S+ is said to be discarded: only its public status tells$/m,
  );
  t.regex(forged.out, /^\d+ values agree in [\d.]+ s, and 1 in doubt\.$/m);
  t.notRegex(forged.out, /All \d+ values/);
});
