/** What goes on between the runs of a validator, and what is left of one that is over. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import test from 'ava';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import type { Clock } from '../../../infra/ports/clock.ts';
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

// The rest doubles with each run in vain, to ten minutes: one that never began anew would slow a sound machine down.
test('a run that worked ends the rests of those in vain, and one that a download failed does not', async (t) => {
  const idleMs = 77_000;
  const rests: number[] = [];
  const sleep: Clock['sleep'] = async (ms, signal) => {
    if (ms % idleMs > 0) return await systemClock.sleep(ms, signal);
    rests.push(ms / idleMs);
  };
  const env = { VALIDATOR_IDLE_SECONDS: String(idleMs / 1000) };
  const started = { clock: { ...systemClock, sleep }, env };
  const { stub, play } = await openStubShop(t, { taskCount: 1, started });
  const granted = stub.answers.get('/work/claim');
  // Its code is another one than was announced.
  const broken = claimOf('broken', stub);
  const unknown = (id: string) => ({ ...claimOf(id, stub), execution_kind: 'another' });
  const claims = [unknown('a'), broken, undefined, unknown('b')];
  const pack = [...stub.answers].find(([end]) => end.startsWith('/pack/'))?.[1];
  if (pack !== undefined) stub.answers.set('/pack/pack', pack);
  stub.answers.set('/broken/complete', (response) => say(response, 200, { status: 'FAILED' }));
  let count = 0;
  stub.answers.set('/work/claim', (response, asked) => {
    const claim = claims[count++];
    if (count > claims.length) noWork(response);
    else if (claim === undefined) granted?.(response, asked);
    else say(response, 200, claim);
  });

  await play('true', () => count > claims.length);

  t.like(JSON.parse(stub.askedFor('/broken/complete')[0]?.body ?? ''), {
    failure_class: 'PLATFORM',
  });
  t.deepEqual(rests.slice(0, 3), [1, 2, 1]);
});

test('nobody beats, looks or waits for a run that is over', async (t) => {
  const running = new Set<() => void>();
  t.teardown(() => {
    for (const stop of running) stop();
  });
  const every: Clock['every'] = (ms, tick) => {
    const stop = systemClock.every(ms, tick);
    running.add(stop);
    return () => {
      running.delete(stop);
      stop();
    };
  };
  const { play } = await openStubShop(t, {
    taskCount: 1,
    started: { clock: { ...systemClock, every } },
  });

  const { completion } = await play('true');

  t.like(completion, { terminal_status: 'SUCCESS' });
  t.is(running.size, 0);
});

test('a download that nobody needs any more is given up with its run', async (t) => {
  const { stub, play } = await openStubShop(t, { taskCount: 1 });
  const asked = Promise.withResolvers<ServerResponse>();
  let isGivenUp = false;
  stub.answers
    .set('/code', (response) => {
      response.on('close', () => {
        isGivenUp = true;
      });
      asked.resolve(response);
    })
    .set([...stub.answers.keys()].find((end) => end.startsWith('/pack/')) ?? '', (response) => {
      void asked.promise.then(() => say(response, 200, { tool_contract_version: 'another' }));
    });

  await play('true', () => stub.askedFor('/work/claim').length > 1);

  t.is(stub.askedFor('/run/release').length, 1);
  t.true(isGivenUp);
});

/** What a run of so many tasks brought, batch by batch. */
const sentBy = (stub: StubService): readonly number[] =>
  stub.askedFor('/episode-results').map(({ body }) => JSON.parse(body).results.length);

test('results go as soon as there are as many as are to go at once', async (t) => {
  const started = { env: { VALIDATOR_BATCH_SIZE: '2' } };
  const { stub, play } = await openStubShop(t, { taskCount: 4, started });

  await play('true');

  t.deepEqual(sentBy(stub), [2, 2]);
});

test('what was played of a run that ends early is told before its end', async (t) => {
  const { stub, play } = await openStubShop(t, { taskCount: 5 });

  const { completion } = await play('exit 1');

  t.like(completion, { terminal_status: 'FAILED', failure_class: 'AGENT' });
  t.deepEqual(sentBy(stub), [3]);
  const ends = stub.asked.map(({ path }) => path.split('/').at(-1));
  t.true(ends.indexOf('episode-results') < ends.indexOf('complete'));
});

test('an episode that its store refuses twice is brought all the same, for as long as it may wait', async (t) => {
  const { stub, play } = await openStubShop(t, { taskCount: 1 });
  const target = { upload_url: `${stub.url}/put-episode`, artifact_uri: 's3://it' };
  stub.answers
    .set('/episode-artifacts/presign', (response) => say(response, 200, target))
    .set('/put-episode', (response) => {
      if (stub.askedFor('/put-episode').length < 3) away(response);
      else say(response, 200, {});
    });

  const { completion } = await play('true');

  t.like(completion, { terminal_status: 'SUCCESS' });
  t.is(stub.askedFor('/put-episode').length, 3);
});

test('a run that a former process played beats as often as its claim asked for', async (t) => {
  const [stub, folder] = [await openStub(t), await folderFor(t)];
  const completion = { terminal_status: 'SUCCESS' };
  const note = { eval_run_id: 'run', heartbeat_interval_seconds: 1, completion };
  await writeFile(join(folder, 'run.json'), JSON.stringify(note));
  stub.answers.set('/run/complete', away);
  const clock = new ManualClock();
  const validator = await startStubbed(folder, stub, { clock });
  await until(async () => {
    await clock.advance(500);
    return stub.askedFor('/run/heartbeat').length > 2;
  });
  await validator.stop();

  t.true(clock.monotonicMs() < 30_000);
});

test('the key of a claim that was lost stays until a note of its run is on disk', async (t) => {
  const [stub, folder] = [await openStub(t), await folderFor(t)];
  const asking = { idempotency_key: 'lost', until_ms: systemClock.nowMs() + 60_000 };
  await writeFile(join(folder, 'claim.json'), JSON.stringify(asking));
  await mkdir(join(folder, 'run.json.new'));
  const seen: boolean[] = [];
  stub.answers
    .set('/work/claim', (response, { key }) => {
      if (key === 'lost') say(response, 200, claimOf('run', stub));
      else noWork(response);
    })
    .set('/run/release', (response) => {
      seen.push(existsSync(join(folder, 'claim.json')));
      say(response, 200, { released: true });
    });
  const validator = await startStubbed(folder, stub);
  await until(() => stub.askedFor('/work/claim').length > 1);
  await validator.stop();

  t.deepEqual(seen, [true]);
  t.false(existsSync(join(folder, 'claim.json')));
});

test('the key of a claim that nobody answers takes the place of one that is worth nothing any more', async (t) => {
  const [stub, folder] = [await openStub(t), await folderFor(t)];
  const path = join(folder, 'claim.json');
  await writeFile(path, JSON.stringify({ idempotency_key: 'old', until_ms: 0 }));
  stub.answers.set('/work/claim', () => undefined);
  const clock = new ManualClock();
  const validator = await startStubbed(folder, stub, { clock });
  await until(() => stub.askedFor('/work/claim').length > 0);
  const stopped = validator.stop();
  await clock.advance(10_000);
  await stopped;

  const [asked] = stub.askedFor('/work/claim');
  t.not(asked?.key, 'old');
  t.is(JSON.parse(await readFile(path, 'utf8')).idempotency_key, asked?.key);
});

// Its results wait in the queue: whoever took them for those of a run without an end would drop them.
test('what a former process played to its end is told whole, its results first', async (t) => {
  const [stub, folder] = [await openStub(t), await folderFor(t)];
  await mkdir(join(folder, 'queue'));
  const results = { kind: 'results', evalRunId: 'run', items: [{ task_id: 'task' }] };
  await writeFile(join(folder, 'queue', '000000000001.json'), JSON.stringify(results));
  const completion = { terminal_status: 'SUCCESS' };
  await writeFile(join(folder, 'run.json'), JSON.stringify({ eval_run_id: 'run', completion }));
  // Nothing gets through before all that was left has been looked at.
  let isBegun = false;
  stub.answers
    .set('/run/heartbeat', (response) => {
      isBegun = true;
      say(response, 200, {});
    })
    .set('/episode-results', (response) => {
      if (isBegun && stub.askedFor('/episode-results').length > 1) {
        const stored = [{ task_id: 'task', status: 201 }];
        say(response, 200, { results: stored });
      } else away(response);
    })
    .set('/run/complete', (response) => say(response, 200, { status: 'SUCCESS' }));
  const validator = await startStubbed(folder, stub);
  await until(() => stub.askedFor('/work/claim').length > 0);
  await validator.stop();

  const told = stub.asked.map(({ path }) => path.split('/').at(-1));
  const sent = told.filter((end) => end === 'episode-results' || end === 'complete');
  t.true(sent.length > 2);
  t.is(sent.indexOf('complete'), sent.length - 1);
});

test('results that an attempt without an answer has stored are stored, and cost no run', async (t) => {
  const started = { env: { VALIDATOR_BATCH_SIZE: '1' } };
  const { stub, play } = await openStubShop(t, { taskCount: 2, started });
  stub.answers
    .set('/episode-results', (response, { body }) => {
      const results = JSON.parse(body).results.map(({ task_id }: { task_id: string }) => ({
        ...{ task_id, status: 409, error: 'It is stored.' },
      }));
      say(response, 200, { results });
    })
    .set('/put', async (response) => {
      // A run that was refused would be given up before its next task is over.
      if (stub.askedFor('/put').length > 1) {
        await until(() => stub.askedFor('/episode-results').length > 0);
        await systemClock.sleep(300);
      }
      say(response, 200, {});
    });

  const { completion } = await play('true');

  t.like(completion, { terminal_status: 'SUCCESS' });
  t.deepEqual(stub.askedFor('/release'), []);
});

test('a roster with a task that is in no pack is the fault of the platform, and no defect of ours', async (t) => {
  const { stub, play } = await openStubShop(t, { taskCount: 1 });
  const problems = [{ problem_id: 'problem', metadata: { task_id: 'of another pack' } }];
  stub.answers.set('/run/problems', (response) => say(response, 200, { problems }));

  const { completion } = await play('true');

  t.like(completion, { terminal_status: 'FAILED', failure_class: 'PLATFORM' });
  t.regex(String(completion?.['failure_reason']), /lacks the task of another pack/);
});

test('a run whose log nobody takes is completed without it after ten seconds', async (t) => {
  const waited: number[] = [];
  const sleep: Clock['sleep'] = async (ms, signal) => {
    if (ms !== 10_000) return await systemClock.sleep(ms, signal);
    waited.push(ms);
    await systemClock.sleep(500, signal);
  };
  const started = { clock: { ...systemClock, sleep } };
  const { stub, play } = await openStubShop(t, { taskCount: 1, started });
  stub.answers.set('/uploads/presign', away);

  const { completion } = await play('true');

  t.like(completion, { terminal_status: 'SUCCESS' });
  t.is(completion?.['results_s3_key'], undefined);
  t.true(waited.length > 0);
});
