import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { readOptions } from '../../../apps/verify/options.ts';
import { BundleRefused } from '../../../apps/verify/sealed-bundle.ts';
import { verify } from '../../../apps/verify/verify.ts';
import { terminal } from '../../../apps/world/terminal.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { startTestService, type TestService } from '../../support/edge.ts';
import { playRace } from '../../support/played-race.ts';
import { addActiveSuite, addRace, trialId } from '../../support/trial-races.ts';
import { okBody } from '../../support/trial-suite.ts';
import { until } from '../../support/until.ts';
import { refused } from './answers.ts';

const hourMs = 3_600_000;
const reward = (hotkey: string, validator: number, task: number) =>
  (task + validator) % 3 === 0 ? undefined : 50_000 * Number(hotkey.slice(-1)) + 1_111 * task;

let service: TestService;
let suiteId: number;
let raceId: string;
test.before(async () => {
  service = await startTestService();
  const { sql } = service;
  suiteId = await addActiveSuite(sql);
  const hotkeys = Array.from({ length: 10 }, (_, index) => `miner ${index}`);
  const race = { suiteId, hotkeys, taskCount: 7, reward };
  await playRace(sql, { ...race, raceNumber: 1, completedAtMs: Date.now() - 2 * hourMs });
  raceId = trialId(`race ${suiteId} 1`);
  await until(async () => (await service.call('GET', bundlePath(raceId))).status === 200);
});
test.after.always(() => service?.stop());

const bundlePath = (id: string) => `/v1/public/races/${id}/bundle`;

/** What the command prints, and whether it ends well. */
async function verified(args: readonly string[]) {
  const options = readOptions(args);
  if (options === undefined || !('raceId' in options)) throw new Error('no options');
  let text = '';
  const stream = { write: (more: string) => (text += more) };
  const isSame = await verify({
    options,
    terminal: terminal({ stream, isStyled: false }),
    clock: systemClock,
  });
  return { isSame, text };
}

test('the bundle is told where it lies, and whoever computes the race agrees', async (t) => {
  const told = await okBody<{ download_url: string; public_key: string; race_id: string }>(
    await service.call('GET', bundlePath(raceId.toUpperCase())),
  );
  t.is(told.race_id, raceId);
  t.false(told.download_url.includes('localhost'));

  const args = ['--race', raceId, '--url', service.baseUrl];
  const { isSame, text } = await verified([...args, '--public-key', told.public_key]);
  t.true(isSame, text);
  t.regex(text, /All \d+ values agree, to the last bit/);
  await t.throwsAsync(verified([...args, '--public-key', '0'.repeat(64)]), {
    instanceOf: BundleRefused,
  });
});

test('a saved bundle is verified without the service, and refused when a bit of it changed', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'paddock-verify-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'race.json.gz');
  await verified(['--race', raceId, '--url', service.baseUrl, '--save', file]);

  t.true((await verified(['--bundle', file])).isSame);
  const bytes = await readFile(file);
  bytes.writeUInt8(bytes.readUInt8(100) ^ 1, 100);
  await writeFile(file, bytes);
  await t.throwsAsync(verified(['--bundle', file]), { message: /the bundle was changed/ });
});

test.serial('a page that says something else is named', async (t) => {
  const { sql } = service;
  await sql`
    update race_entrant set race_rank = race_rank + 1
    where race_id = ${raceId} and race_rank = 10`;
  const { isSame, text } = await verified(['--race', raceId, '--url', service.baseUrl]);
  await sql`
    update race_entrant set race_rank = race_rank - 1
    where race_id = ${raceId} and race_rank = 11`;

  t.false(isSame);
  t.regex(text, /page of version \S+ race_rank: said 11, computed 10/);
});

test.serial('a discard that its version tells of, and the race does not, is named', async (t) => {
  const { sql } = service;
  const [entrant] = await sql<{ id: string; at: Date }[]>`
    select agent_version_id as id, completed_at as at from race_entrant join race using (race_id)
    where race_id = ${raceId} and race_rank = 2`;
  if (entrant === undefined) throw new Error('no second');
  const discarded = async (minutesAfter: number) => {
    await sql`
      insert into rt.event (kind, part, machine, key, actor_key, seq, type, type_version, payload,
                            command_id, account, epoch, at)
      values ('eval', 0, 'agent-version', ${entrant.id}, ${entrant.id}, 9, 'DISCARDED', 1,
              '{"reason": "OPERATOR"}', 'c', 'test', 1,
              ${new Date(entrant.at.getTime() + minutesAfter * 60_000)})`;
    const verdict = await verified(['--race', raceId, '--url', service.baseUrl]);
    await sql`delete from rt.event where key = ${entrant.id} and seq = 9`;
    return verdict;
  };
  await sql`update agent_version set state = 'DISCARDED', discarded_at = rt.clock()
            where agent_version_id = ${entrant.id}`;
  const [before, after] = [await discarded(-1), await discarded(1)];
  await sql`update agent_version set state = 'ELIGIBLE', discarded_at = null
            where agent_version_id = ${entrant.id}`;

  t.false(before.isSame);
  t.regex(
    before.text,
    /^version \S+, discarded by the end of the race: false in the bundle, true on its page$/m,
  );
  t.true(after.isSame, after.text);
  t.regex(after.text, /All \d+ values agree/);
});

test('no bundle leaves before its race is released', async (t) => {
  const { sql } = service;
  const of = (raceNumber: number) => ({ suiteId, raceNumber, entrants: [] });
  const running = await addRace(sql, { ...of(20), status: 'RACE_RUNNING' });
  const sealed = await addRace(sql, { ...of(21), completedAgo: 1, releasedIn: 1 });
  const cancelled = await addRace(sql, { ...of(22), status: 'RACE_CANCELLED' });
  for (const id of [running, sealed, cancelled]) {
    await refused(t, await service.call('GET', bundlePath(id)), '403 RACE_IN_FLIGHT');
  }
  await refused(t, await service.call('GET', bundlePath(randomUUID())), '404 RACE_NOT_FOUND');
  t.is((await service.call('GET', bundlePath('x'))).status, 422);
});
