/**
 * A line that is cut whenever it carries certain words, as something on the way does that finds an agent's words
 * suspicious and says nothing: a request that never gets through keeps nobody from the runs after it.
 */
import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { shopContract } from '../../../apps/validator/shop/catalogue.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import type { Clock } from '../../../infra/ports/clock.ts';
import { until } from '../../support/until.ts';
import {
  claimOf,
  folderFor,
  noWork,
  openStub,
  type StubService,
  say,
  startStubbed,
} from './stub-service.ts';

const cut = (response: ServerResponse) => response.destroy();
const isOver = (response: ServerResponse) =>
  say(response, 409, { detail: 'Its lease is over.', error_code: 'LEASE_EXPIRED' });

/** Runs whose code nobody can download: all there is to be told of each is its end. */
async function openRuns(t: ExecutionContext, ...evalRunIds: readonly string[]) {
  const [stub, folder] = [await openStub(t), await folderFor(t)];
  const claims = evalRunIds.map((id) => ({
    ...claimOf(id, stub),
    heartbeat_interval_seconds: 1,
  }));
  stub.answers
    .set('/pack/pack', (response) => say(response, 200, { tool_contract_version: shopContract }))
    .set('/complete', (response) => say(response, 200, { status: 'FAILED' }))
    .set('/work/claim', (response) => {
      const claim = claims.shift();
      if (claim === undefined) noWork(response);
      else say(response, 200, claim);
    });
  const queued = () => readdir(join(folder, 'queue'));
  return { stub, folder, queued };
}

/** Where nothing is queued either, the validator has heard what the service said of it. */
const isNextOver = (stub: StubService) => stub.askedFor('/next/complete').length > 0;

test('a completion that never gets through holds up nothing once its run is lost', async (t) => {
  const { stub, folder, queued } = await openRuns(t, 'run', 'next');
  stub.answers.set('/run/complete', (response) => {
    stub.answers.set('/run/heartbeat', isOver);
    cut(response);
  });
  const validator = await startStubbed(folder, stub);
  await until(async () => isNextOver(stub) && (await queued()).length === 0, 60_000);
  await validator.stop();

  t.deepEqual(stub.askedFor('/release'), []);
  t.deepEqual(await queued(), []);
});

test('nor do results of a run that a kill left, once it is given back', async (t) => {
  const { stub, folder, queued } = await openRuns(t, 'next');
  await mkdir(join(folder, 'queue'));
  const results = { kind: 'results', evalRunId: 'run', items: [{ task_id: 'task' }] };
  await writeFile(join(folder, 'queue', '000000000001.json'), JSON.stringify(results));
  await writeFile(join(folder, 'run.json'), JSON.stringify({ eval_run_id: 'run' }));
  stub.answers.set('/episode-results', cut);
  const validator = await startStubbed(folder, stub);
  await until(async () => isNextOver(stub) && (await queued()).length === 0, 60_000);
  await validator.stop();

  t.is(stub.askedFor('/run/release').length, 1);
  t.deepEqual(await queued(), []);
});

test('nor does a completion of which no note is left', async (t) => {
  const { stub, folder, queued } = await openRuns(t, 'next');
  await mkdir(join(folder, 'queue'));
  const body = { terminal_status: 'FAILED' };
  const completion = { kind: 'completion', evalRunId: 'run', idempotencyKey: 'key', body };
  await writeFile(join(folder, 'queue', '000000000001.json'), JSON.stringify(completion));
  stub.answers.set('/run/complete', cut).set('/run/heartbeat', isOver);
  const validator = await startStubbed(folder, stub);
  await until(async () => isNextOver(stub) && (await queued()).length === 0, 60_000);
  await validator.stop();

  t.deepEqual(await queued(), []);
});

test('nor does one that the service has, and never can say so', async (t) => {
  const { stub, folder, queued } = await openRuns(t, 'next');
  const completion = { terminal_status: 'SUCCESS' };
  const note = { eval_run_id: 'run', heartbeat_interval_seconds: 1, completion };
  await writeFile(join(folder, 'run.json'), JSON.stringify(note));
  const isComplete = (response: ServerResponse) =>
    say(response, 409, { detail: 'It is complete.', error_code: 'RUN_ALREADY_COMPLETE' });
  stub.answers.set('/run/complete', (response) => {
    stub.answers.set('/run/heartbeat', isComplete);
    cut(response);
  });
  // A second is a minute.
  const clock: Clock = {
    ...systemClock,
    monotonicMs: () => systemClock.monotonicMs() * 60,
    sleep: (ms, signal) => systemClock.sleep(ms / 60, signal),
    every: (ms, tick) => systemClock.every(ms / 60, tick),
  };
  const validator = await startStubbed(folder, stub, { clock });
  await until(async () => isNextOver(stub) && (await queued()).length === 0, 60_000);
  await validator.stop();

  t.true(stub.askedFor('/run/complete').length > 1);
  t.deepEqual(await queued(), []);
});

test('what was played to its end is sent for as long as its run may live', async (t) => {
  const { stub, folder, queued } = await openRuns(t);
  const completion = { terminal_status: 'SUCCESS' };
  const note = { eval_run_id: 'run', heartbeat_interval_seconds: 1, completion };
  await writeFile(join(folder, 'run.json'), JSON.stringify(note));
  stub.answers.set('/run/complete', (response) => {
    if (stub.askedFor('/run/complete').length < 4) cut(response);
    else say(response, 200, { status: 'SUCCESS' });
  });
  const validator = await startStubbed(folder, stub);
  await until(() => !existsSync(join(folder, 'run.json')), 60_000);
  await validator.stop();

  t.is(stub.askedFor('/run/complete').length, 4);
  t.deepEqual(await queued(), []);
});
