import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { systemClock } from '../../infra/clock/system-clock.ts';
import { sha256Hex } from '../../infra/ids/ids.ts';
import { createLogger } from '../../infra/telemetry/log.ts';
import { startTestService } from '../support/edge.ts';
import { sendSubmission } from '../support/evaluation-client.ts';
import { dumpDatabase } from '../support/secrets/dump-database.ts';
import { oddSecret, Planting } from '../support/secrets/planting.ts';
import { plantRuns, plantSecrets } from '../support/secrets/ploys.ts';
import { SecretScanner } from '../support/secrets/secret-scanner.ts';
import { spellingsOf } from '../support/secrets/spellings.ts';
import { openTrialSuite } from '../support/trial-suite.ts';

// The short form of `npm run proof:secrets`, which searches the files of real processes too.
test('no secret that is planted by any way in is told, logged or stored in the clear', async (t) => {
  const said: string[] = [];
  const log = createLogger({
    ...{ name: 'test', level: 'debug', nowMs: systemClock.nowMs },
    write: (line) => said.push(line),
  });
  const service = await startTestService({ log, env: { COOLDOWN_SECONDS: '0' } });
  try {
    const planting = new Planting((text) => said.push(text));
    planting.known('operator token', service.operatorToken);
    const { packSha256 } = await openTrialSuite(service, { requiredSuccesses: 1 });
    const submit = (miner: Parameters<typeof sendSubmission>[0]) => sendSubmission(miner);
    const wished = { count: 1, packSha256: packSha256 ?? '', submit };
    const runs = await plantRuns({ door: service, planting }, wished);
    const miners = [await service.miner('planting')];
    const { providera, providerb } = service.providers;
    const trouble = async (kind: 'cut' | 'status' | undefined) => {
      for (const provider of [providera, providerb]) {
        if (kind === undefined) provider.heal();
        else provider.fail(kind === 'cut' ? { kind } : { kind, status: 503 });
      }
    };
    await plantSecrets({ door: service, miners, runs, trouble, planting }, 40);
    t.true(planting.canaries.length >= 40);
    t.true((planting.answers.get(200) ?? 0) > 8 && (planting.answers.get(422) ?? 0) > 4);

    const scanner = new SecretScanner(planting.canaries);
    const all = [...said, ...(await dumpDatabase(service.sql))].join('\n');
    const leaks = scanner.scan(Buffer.from(all), 'log, answers and rows');
    t.deepEqual(
      leaks.map(({ kind, spelling, excerpt }) => `${kind}, ${spelling}: ${excerpt}`),
      [],
    );
    t.true(said.some((line) => line.includes('"process":"test"')));
    const token = await miners[0]?.openSession();
    const [{ tokenSha256 } = { tokenSha256: '' }] = await service.sql<{ tokenSha256: string }[]>`
      select token_sha256 as "tokenSha256" from session order by created_at desc limit 1`;
    t.is(tokenSha256, sha256Hex(token ?? ''), 'a session rests as the hash of its token');
  } finally {
    await service.stop();
  }
});

test('sixteen bytes of any spelling are found wherever they stand, over the ends of chunks too', async (t) => {
  const secret = oddSecret();
  const scanner = new SecretScanner([{ kind: 'known', secret }], 1 << 16);
  const folder = await mkdtemp(join(tmpdir(), 'paddock-leak-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const spellings = [...spellingsOf(secret)];
  t.true(spellings.length >= 9);
  for (const [spelling, text] of spellings) {
    const bytes = Buffer.from(text, spelling === 'UTF-16' ? 'latin1' : 'utf8');
    for (const at of [0, bytes.length - 16]) {
      const window = bytes.subarray(at, at + 16);
      for (const before of [0, 1, 15, 16, 4096]) {
        // No spelling holds it: noise that happens to continue a cut one would be a find.
        const noise = Buffer.alloc(before, 0xff);
        const found = scanner.scan(Buffer.concat([noise, window]), 'here');
        t.true(
          found.some((leak) => leak.kind === 'known'),
          `${spelling} ${at} ${before}`,
        );
        t.deepEqual(scanner.scan(Buffer.concat([noise, window.subarray(1)]), 'here'), []);
      }
    }
  }
  // A file that is read in pieces.
  const long = Buffer.concat([randomBytes((1 << 20) - 8), Buffer.from(secret)]);
  await writeFile(join(folder, 'long.bin'), long);
  t.true((await scanner.scanFolder(folder, () => false)).length > 0);
  t.deepEqual(await scanner.scanFolder(folder, () => true), []);
});
