/**
 * A claim whose answer is lost may have leased a run to us. Whatever cuts it off, the service is asked again
 * under the same key, so that the run is known, and worked on or given back.
 */
import type { ServerResponse } from 'node:http';
import test from 'ava';
import { systemClock } from '../../../infra/clock/system-clock.ts';
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

const claimed = '/work/claim';
const keysOf = (stub: StubService) => stub.askedFor(claimed).map(({ key }) => key);
/** So small that none is given up, for want of an answer within 30 s, while its answer is under way. */
const stepMs = 500;
const granted = (response: ServerResponse) => say(response, 200, claimOf('run'));

test('a claim that is answered during a drain gives its run back, and plays nothing of it', async (t) => {
  const stub = await openStub(t);
  const asked = Promise.withResolvers<ServerResponse>();
  stub.answers.set(claimed, asked.resolve);
  const validator = await startStubbed(await folderFor(t), stub);
  const response = await asked.promise;
  const stopped = validator.stop();
  granted(response);
  await stopped;

  t.is(stub.askedFor('/run/release').length, 1);
  t.deepEqual(stub.askedFor('/pack/pack'), []);
});

test('a claim whose answer is lost during a drain is asked for again under its key', async (t) => {
  const stub = await openStub(t);
  const asked = Promise.withResolvers<ServerResponse>();
  stub.answers.set(claimed, asked.resolve);
  const validator = await startStubbed(await folderFor(t), stub);
  const response = await asked.promise;
  const stopped = validator.stop();
  stub.answers.set(claimed, granted);
  response.destroy();
  await stopped;

  const keys = keysOf(stub);
  t.is(keys.length, 2);
  t.is(keys[0], keys[1]);
  t.is(stub.askedFor('/run/release').length, 1);
});

test('a claim that nobody answers holds up no stop for long, and the next process asks again', async (t) => {
  const stub = await openStub(t);
  const folder = await folderFor(t);
  const clock = new ManualClock();
  stub.answers.set(claimed, () => undefined);
  const first = await startStubbed(folder, stub, { clock });
  await until(() => keysOf(stub).length === 1);
  let isOver = false;
  const stopped = first.stop().then(() => {
    isOver = true;
  });
  await clock.advance(9_999);
  // Real time, in which a stop that gave up already would come to its end.
  await systemClock.sleep(300);
  t.false(isOver);
  await clock.advance(1);
  await stopped;
  stub.answers.set(claimed, (response) =>
    keysOf(stub).length === 2 ? granted(response) : noWork(response),
  );
  stub.answers.set('/run/release', (response) => say(response, 200, { released: true }));
  const second = await startStubbed(folder, stub, { clock });
  await until(() => stub.askedFor('/pack/pack').length > 0);
  await second.stop();

  const [lost, again] = keysOf(stub);
  t.is(again, lost);
  const third = await startStubbed(folder, stub, { clock });
  await until(() => keysOf(stub).length === 3);
  await third.stop();
  t.not(keysOf(stub)[2], lost);
});

test('an answer that is lost for longer than the patience of one turn is asked for by the next', async (t) => {
  const stub = await openStub(t);
  const clock = new ManualClock();
  stub.answers.set(claimed, away);
  const validator = await startStubbed(await folderFor(t), stub, { clock });
  // A turn asks for a minute.
  await until(async () => {
    await clock.advance(10_000);
    return clock.monotonicMs() > 130_000 && keysOf(stub).length > 5;
  });
  t.is(new Set(keysOf(stub)).size, 1);
  stub.answers.set(claimed, noWork);
  const answered = until(async () => {
    await clock.advance(stepMs);
    return new Set(keysOf(stub)).size >= 2;
  });
  await t.notThrowsAsync(answered);
  await validator.stop();
});

test('what a proxy refuses is no answer to a claim, what the service refuses is', async (t) => {
  const stub = await openStub(t);
  const clock = new ManualClock();
  const refusals = [{}, { detail: 'Ask later.', error_code: 'AT_CAPACITY' }];
  stub.answers.set(claimed, (response) => {
    const refusal = refusals.shift();
    if (refusal === undefined) noWork(response);
    else say(response, 409, refusal);
  });
  const validator = await startStubbed(await folderFor(t), stub, { clock });
  await until(async () => {
    await clock.advance(stepMs);
    return keysOf(stub).length > 2;
  });
  await validator.stop();

  const [proxys, ours, next] = keysOf(stub);
  t.is(proxys, ours);
  t.not(ours, next);
});

test('a run whose release the service has not answered is not begun when it is granted again', async (t) => {
  const stub = await openStub(t);
  const clock = new ManualClock();
  stub.answers.set(claimed, granted).set('/run/release', away);
  const validator = await startStubbed(await folderFor(t), stub, { clock });
  const untilClaims = (count: number) =>
    until(async () => {
      await clock.advance(stepMs);
      return keysOf(stub).length >= count;
    });
  await untilClaims(3);
  const begun = stub.askedFor('/pack/pack').length;
  await untilClaims(5);
  t.is(stub.askedFor('/pack/pack').length, begun);
  stub.answers.set('/run/release', (response) => say(response, 200, { released: true }));
  await until(async () => {
    await clock.advance(stepMs);
    return stub.askedFor('/pack/pack').length > begun;
  });
  await validator.stop();
});

test('a key that nobody answers for an hour is worth nothing any more', async (t) => {
  const stub = await openStub(t);
  const folder = await folderFor(t);
  const clock = new ManualClock();
  stub.answers.set(claimed, () => undefined);
  const first = await startStubbed(folder, stub, { clock });
  await until(() => keysOf(stub).length === 1);
  const stopped = first.stop();
  await clock.advance(10_000);
  await stopped;
  await clock.advance(3_600_000);
  stub.answers.set(claimed, noWork);
  const second = await startStubbed(folder, stub, { clock });
  await until(() => keysOf(stub).length === 2);
  await second.stop();

  t.is(new Set(keysOf(stub)).size, 2);
});
