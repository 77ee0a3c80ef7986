import { randomUUID } from 'node:crypto';
import test from 'ava';
import type { Usage } from '../../../actors/services/inference/messages.ts';
import { UsageRecords } from '../../../apps/edge/inference/usage-records.ts';
import { createLogger } from '../../../infra/telemetry/log.ts';
import { Fault } from '../../../machines/fault.ts';
import { ManualClock } from '../../support/manual-clock.ts';

/** A broker behind which nobody answers for a while. */
function desk(failures: number) {
  const clock = new ManualClock();
  const heard: string[] = [];
  /** Given up, by provider. */
  const given: unknown[] = [];
  const lines: string[] = [];
  const log = createLogger({
    ...{ name: 'edge', level: 'error', nowMs: () => 0 },
    write: (line) => lines.push(line),
  });
  const refuse = new Set<string>();
  let left = failures;
  const away = () => Promise.reject(new Fault('OWNER_UNAVAILABLE', 'nobody is there'));
  const records = new UsageRecords({
    bus: {
      command: away,
      call: async (_service, { id }) => {
        heard.push(id);
        left -= 1;
        return left >= 0 || refuse.has(id) ? await away() : {};
      },
    },
    clock,
    log,
    telemetry: {
      count: (name, _more, labels) => {
        if (name === 'paddock.inference.uncounted') given.push(labels?.['provider']);
      },
    },
  });
  const usage: Usage = {
    ...{ evalRunId: randomUUID(), provider: 'providera', modelId: 'some/model' },
    ...{ isFailure: false, promptTokens: 1, completionTokens: 2 },
  };
  return { clock, heard, records, usage, given, lines, refuse };
}

test('a completion is told under the same id until somebody has counted it', async (t) => {
  const { clock, heard, records, usage } = desk(3);
  const id = randomUUID();
  const recording = records.record(id, usage);
  await clock.advance(10_000);
  await recording;
  await records.stop();
  t.deepEqual(heard, [id, id, id, id]);
});

test('an answer does not wait for a count that takes long; a stopping edge does', async (t) => {
  const { clock, heard, records, usage } = desk(4);
  const recording = records.record(randomUUID(), usage);
  await clock.advance(2000);
  await recording;
  t.true(heard.length < 5);
  let isStopped = false;
  const stopping = records.stop().then(() => {
    isStopped = true;
  });
  await clock.advance(1000);
  t.false(isStopped);
  await clock.advance(10_000);
  await stopping;
  t.is(heard.length, 5);
});

test('what nobody counts is tried for ten minutes, and given up then', async (t) => {
  const { clock, heard, records, usage, given } = desk(100_000);
  const recording = records.record(randomUUID(), usage);
  await clock.advance(599_000);
  await recording;
  t.true(heard.length > 500);
  t.deepEqual(given, []);
  await clock.advance(3000);
  t.deepEqual(given, ['providera']);
  const { length } = heard;
  await clock.advance(60_000);
  t.is(heard.length, length);
  await records.stop();
  t.is(given.length, 1);
});

test('one that nobody counts keeps no other from being counted', async (t) => {
  const { clock, heard, records, usage, refuse } = desk(0);
  const [bad, good] = [randomUUID(), randomUUID()];
  refuse.add(bad).add(good);
  const recording = Promise.all([records.record(bad, usage), records.record(good, usage)]);
  await clock.advance(5000);
  await recording;
  refuse.delete(good);
  await clock.advance(3000);
  const counted = heard.filter((id) => id === good).length;
  await clock.advance(20_000);
  t.is(heard.filter((id) => id === good).length, counted, 'told no more');
  t.true(heard.filter((id) => id === bad).length > counted);
});

test('memory for what is not counted is bounded: beyond it a completion is given up at once', async (t) => {
  const { clock, records, usage, given } = desk(100_000);
  const all = Array.from({ length: 5001 }, () => records.record(randomUUID(), usage));
  await clock.advance(3000);
  await Promise.all(all);
  t.is(given.length, 1);
});

test('an edge that stops waits for a while, and gives up what nobody counts', async (t) => {
  const { clock, records, usage, given } = desk(100_000);
  const recording = records.record(randomUUID(), usage);
  await clock.advance(2000);
  await recording;
  const stopping = records.stop();
  await clock.advance(4000);
  t.deepEqual(given, []);
  await clock.advance(1000);
  await stopping;
  t.deepEqual(given, ['providera']);
});

test('the log of one that is given up says what it used', async (t) => {
  const { clock, records, usage, lines } = desk(100_000);
  const requestId = randomUUID();
  const recording = records.record(requestId, usage);
  await clock.advance(2000);
  await recording;
  const stopping = records.stop();
  await clock.advance(5000);
  await stopping;
  t.is(lines.length, 1);
  t.like(JSON.parse(lines[0] ?? ''), {
    ...{ message: 'a completion was not counted', why: 'the edge stops', requestId, ...usage },
    error: { message: 'nobody is there' },
  });
});

test('what nobody has counted yet is known by run, from when its answer waits no more', async (t) => {
  const { clock, records, usage, refuse } = desk(0);
  const [one, other] = [usage.evalRunId, randomUUID()];
  const ids = [randomUUID(), randomUUID(), randomUUID()];
  for (const id of ids) refuse.add(id);
  const recording = Promise.all(
    ids.map((id, index) => records.record(id, index < 2 ? usage : { ...usage, evalRunId: other })),
  );
  await clock.advance(1000);
  t.is(records.uncounted(one), 0, 'they are under way');
  await clock.advance(1000);
  await recording;
  t.deepEqual([records.uncounted(one), records.uncounted(other)], [2, 1]);

  refuse.clear();
  await clock.advance(5000);
  t.deepEqual([records.uncounted(one), records.uncounted(other)], [0, 0]);
});

test('what was given up is waited for no more', async (t) => {
  const { clock, records, usage } = desk(100_000);
  const recording = records.record(randomUUID(), usage);
  await clock.advance(2000);
  await recording;
  t.is(records.uncounted(usage.evalRunId), 1);
  await clock.advance(601_000);
  t.is(records.uncounted(usage.evalRunId), 0);
});
