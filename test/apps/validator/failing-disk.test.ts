/**
 * What a validator does when its disk does not take something, or does not let go of it. Root may write
 * anywhere, so a folder stands where a file should be, or a file where a folder should.
 */
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import test from 'ava';
import { shopContract } from '../../../apps/validator/shop/catalogue.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { until } from '../../support/until.ts';
import {
  away,
  claimOf,
  folderFor,
  noWork,
  openStub,
  type StubService,
  say,
  startStubbed,
} from './stub-service.ts';
import { openStubShop } from './stub-shop.ts';

/** One run, and then no work. */
function oneRun(stub: StubService) {
  let isGiven = false;
  return (response: ServerResponse) => {
    if (isGiven) return noWork(response);
    isGiven = true;
    say(response, 200, claimOf('run', stub));
  };
}

const released = (response: ServerResponse) => say(response, 200, { released: true });

async function withoutReleases(folder: string): Promise<void> {
  await rm(join(folder, 'releases'), { recursive: true });
  await writeFile(join(folder, 'releases'), 'no folder');
}

test('a release that neither disk nor service takes is asked for until it is answered', async (t) => {
  const [stub, folder] = [await openStub(t), await folderFor(t)];
  const validator = await startStubbed(folder, stub);
  await withoutReleases(folder);
  const looked = Promise.withResolvers<void>();
  const answers = [
    away,
    (response: ServerResponse) => void looked.promise.then(() => released(response)),
  ];
  stub.answers
    .set('/work/claim', oneRun(stub))
    .set('/release', (response) => answers.shift()?.(response));
  await until(() => stub.askedFor('/run/release').length === 2);
  t.regex(await readFile(join(folder, 'run.json'), 'utf8'), /"eval_run_id":"run"/);
  looked.resolve();
  await until(() => !existsSync(join(folder, 'run.json')));
  await validator.stop();

  t.is(stub.askedFor('/run/release').length, 2);
});

test('its note stays for the next process where none of the two took it before the stop', async (t) => {
  const [stub, folder] = [await openStub(t), await folderFor(t)];
  const clock = new ManualClock();
  const first = await startStubbed(folder, stub, { clock });
  await withoutReleases(folder);
  stub.answers.set('/work/claim', oneRun(stub)).set('/release', away);
  await until(async () => {
    await clock.advance(1_000);
    return stub.askedFor('/run/release').length > 0;
  });
  let isOver = false;
  const stopped = first.stop().then(() => {
    isOver = true;
  });
  await until(async () => {
    await clock.advance(1_000);
    return isOver;
  });
  await stopped;
  t.true(existsSync(join(folder, 'run.json')));
  await rm(join(folder, 'releases'));
  const before = stub.askedFor('/run/release').length;
  stub.answers.set('/release', released);
  const second = await startStubbed(folder, stub);
  await until(() => !existsSync(join(folder, 'run.json')));
  await second.stop();

  t.is(stub.askedFor('/run/release').length, before + 1);
});

test('a run whose note cannot be written is given back at once, and not begun', async (t) => {
  const [stub, folder] = [await openStub(t), await folderFor(t)];
  await mkdir(join(folder, 'run.json.new'), { recursive: true });
  stub.answers.set('/work/claim', oneRun(stub));
  const validator = await startStubbed(folder, stub);
  await until(() => stub.askedFor('/run/release').length > 0);
  await until(() => stub.askedFor('/work/claim').length > 1);
  await validator.stop();

  t.is(stub.askedFor('/run/release').length, 1);
  t.deepEqual(stub.askedFor('/heartbeat'), []);
  t.deepEqual(stub.askedFor('/pack/pack'), []);
});

test('a run that was played to its end is completed by the next process, though its disk is full', async (t) => {
  const [stub, folder] = [await openStub(t), await folderFor(t)];
  const completion = { terminal_status: 'SUCCESS', validator_score: 1 };
  await writeFile(join(folder, 'run.json'), JSON.stringify({ eval_run_id: 'run', completion }));
  await mkdir(join(folder, 'queue/000000000001.json.new'), { recursive: true });
  const looked = Promise.withResolvers<void>();
  const answers = [away, away, (response: ServerResponse) => say(response, 200, {})];
  stub.answers.set('/run/complete', (response) => {
    const isLast = answers.length === 1;
    void (isLast ? looked.promise : Promise.resolve()).then(() => answers.shift()?.(response));
  });
  const validator = await startStubbed(folder, stub);
  await until(() => stub.askedFor('/run/complete').length === 3);
  t.true(stub.askedFor('/run/heartbeat').length > 0);
  t.deepEqual(stub.askedFor('/work/claim'), []);
  t.true(existsSync(join(folder, 'run.json')));
  looked.resolve();
  await until(() => stub.askedFor('/work/claim').length > 0);
  await validator.stop();

  t.deepEqual(JSON.parse(stub.askedFor('/run/complete')[0]?.body ?? ''), completion);
  t.is(new Set(stub.askedFor('/run/complete').map(({ key }) => key)).size, 1);
  t.deepEqual(stub.askedFor('/release'), []);
  t.false(existsSync(join(folder, 'run.json')));
});

test('so is one that came to nothing before its first task', async (t) => {
  const [stub, folder] = [await openStub(t), await folderFor(t)];
  const first = await startStubbed(folder, stub);
  await mkdir(join(folder, 'queue/000000000001.json.new'), { recursive: true });
  stub.answers
    .set('/pack/pack', (response) => say(response, 200, { tool_contract_version: shopContract }))
    .set('/run/complete', away)
    // Its code cannot be downloaded.
    .set('/work/claim', oneRun(stub));
  await until(() => stub.askedFor('/run/complete').length > 0);
  await first.stop();
  t.like(JSON.parse(await readFile(join(folder, 'run.json'), 'utf8')), {
    completion: { terminal_status: 'FAILED', failure_class: 'PLATFORM' },
  });
  stub.answers.set('/run/complete', (response) => say(response, 200, {}));
  const second = await startStubbed(folder, stub);
  await until(() => !existsSync(join(folder, 'run.json')));
  await second.stop();

  t.deepEqual(stub.askedFor('/release'), []);
});

test('a run that was played is completed by its own process, though no note takes how it ended', async (t) => {
  const folder = await folderFor(t);
  const started = { env: { VALIDATOR_DATA_DIR: folder } };
  const { stub, play } = await openStubShop(t, { taskCount: 1, started });
  stub.answers.set('/put', (response) => {
    void mkdir(join(folder, 'run.json.new'), { recursive: true }).then(() =>
      say(response, 200, {}),
    );
  });

  const { completion } = await play('true');

  t.like(completion, { terminal_status: 'SUCCESS' });
  t.deepEqual(stub.askedFor('/release'), []);
});

test('a note that cannot be removed, and one that cannot be read, end no validator', async (t) => {
  const [stub, folder] = [await openStub(t), await folderFor(t)];
  const validator = await startStubbed(folder, stub);
  stub.answers.set('/work/claim', oneRun(stub)).set('/release', (response) => {
    // Between the note and its end.
    void rm(join(folder, 'run.json'), { force: true })
      .then(() => mkdir(join(folder, 'run.json/in the way'), { recursive: true }))
      .then(() => released(response));
  });
  await until(() => stub.askedFor('/work/claim').length > 1);
  await validator.stop();
  const second = await startStubbed(folder, stub);
  const before = stub.askedFor('/work/claim').length;
  await until(() => stub.askedFor('/work/claim').length > before);
  await second.stop();

  t.is(stub.askedFor('/run/release').length, 1);
});

test('the key of a claim that cannot be written is asked under by this process all the same', async (t) => {
  const [stub, folder] = [await openStub(t), await folderFor(t)];
  await mkdir(join(folder, 'claim.json.new'), { recursive: true });
  const clock = new ManualClock();
  stub.answers.set('/work/claim', away);
  const validator = await startStubbed(folder, stub, { clock });
  await until(async () => {
    await clock.advance(10_000);
    return clock.monotonicMs() > 130_000;
  });
  stub.answers.set('/work/claim', noWork);
  await until(async () => {
    await clock.advance(10_000);
    return new Set(stub.askedFor('/work/claim').map(({ key }) => key)).size > 1;
  });
  await validator.stop();

  t.false(existsSync(join(folder, 'claim.json')));
});

test('a stop ends a request for a pack, before its answer and in the middle of it', async (t) => {
  for (const begin of [false, true]) {
    const [stub, folder] = [await openStub(t), await folderFor(t)];
    stub.answers.set('/work/claim', oneRun(stub)).set('/pack/pack', (response) => {
      if (begin) response.writeHead(200, { 'content-type': 'application/json' }).write('{"a":');
    });
    // No limit of the client comes before the stop: its clock stands still.
    const validator = await startStubbed(folder, stub, { clock: new ManualClock() });
    await until(() => stub.askedFor('/pack/pack').length > 0);
    await validator.stop();

    t.is(stub.askedFor('/run/release').length, 1);
    t.false(existsSync(join(folder, 'run.json')));
  }
});
