import { randomUUID } from 'node:crypto';
import test from 'ava';
import type { Usage } from '../../../actors/services/inference/messages.ts';
import { UsageRecords } from '../../../apps/edge/inference/usage-records.ts';
import { Fault } from '../../../machines/fault.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { silentLogger, silentTelemetry } from '../../support/silent-telemetry.ts';

/** A broker behind which nobody answers for a while. */
function desk(failures: number) {
  const clock = new ManualClock();
  const heard: string[] = [];
  let left = failures;
  const away = () => Promise.reject(new Fault('OWNER_UNAVAILABLE', 'nobody is there'));
  const records = new UsageRecords({
    bus: {
      command: away,
      call: async (_service, { id }) => {
        heard.push(id);
        left -= 1;
        return left >= 0 ? await away() : {};
      },
    },
    clock,
    ...{ log: silentLogger, telemetry: silentTelemetry },
  });
  const usage: Usage = {
    ...{ evalRunId: randomUUID(), provider: 'providera', modelId: 'some/model' },
    ...{ isFailure: false, promptTokens: 1, completionTokens: 2 },
  };
  return { clock, heard, records, usage };
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

test('what nobody counts is given up in the end', async (t) => {
  const { clock, heard, records, usage } = desk(1000);
  const recording = records.record(randomUUID(), usage);
  await clock.advance(60_000);
  await recording;
  await records.stop();
  t.is(heard.length, 5);
});
