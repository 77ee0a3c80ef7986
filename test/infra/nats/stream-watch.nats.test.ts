import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import test from 'ava';
import { connectNats } from '../../../infra/nats/connect.ts';
import { createStreamWatch } from '../../../infra/nats/stream-watch.ts';
import { ensureStreams, wantedStreams } from '../../../infra/nats/streams.ts';
import { privateNats } from '../../support/cluster.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { silentLogger } from '../../support/silent-telemetry.ts';
import { until } from '../../support/until.ts';

type Line = readonly [level: string, text: string, fields: object | undefined];

function watched() {
  const lines: Line[] = [];
  const gauges = new Map<string, () => number | undefined>();
  const log = {
    ...silentLogger,
    warn: (text: string, fields?: object) => lines.push(['warn', text, fields]),
    info: (text: string, fields?: object) => lines.push(['info', text, fields]),
  };
  const telemetry = {
    gauge: (name: string, read: () => number | undefined, labels?: object) => {
      const series = `${name} ${JSON.stringify(labels)}`;
      gauges.set(series, read);
      return () => gauges.delete(series);
    },
  };
  return { ...{ lines, gauges, log, telemetry, clock: new ManualClock() } };
}

test('a stream that fills up is told while it still takes messages', async (t) => {
  const { url } = await privateNats(t);
  const connection = await connectNats({ url, name: 'test' });
  t.teardown(() => connection.close());
  await ensureStreams(connection, { replicas: 1 });
  const manager = await jetstreamManager(connection);
  await manager.streams.update('FACT', { max_bytes: 100_000 });
  const { lines, gauges, clock, ...seen } = watched();
  const fill = () => gauges.get('paddock.stream.fill {"stream":"FACT"}')?.() ?? Number.NaN;
  const watch = createStreamWatch({ connection, clock, ...seen });
  await watch.start();
  const send = () => jetstream(connection).publish('fact.test', new Uint8Array(30_000));
  // A look that takes longer than the minute that a test lets pass is followed by another.
  const untilSeen = (isSo: () => boolean) =>
    until(async () => {
      await clock.advance(60_000);
      return isSo();
    });

  await send();
  await untilSeen(() => fill() > 0.3);
  t.deepEqual(lines, []);
  await send();
  await untilSeen(() => fill() > 0.6);

  t.is(fill(), (await manager.streams.info('FACT')).state.bytes / 100_000);
  t.deepEqual(lines, [['warn', 'a stream fills up', { stream: 'FACT', percent: 60 }]]);
  await send();
  await untilSeen(() => fill() > 0.9);
  t.is(lines.length, 1, 'told once');
  await manager.streams.update('FACT', { max_bytes: 1_000_000 });
  await untilSeen(() => fill() < 0.6);
  t.deepEqual(lines[1], ['info', 'a stream has room again', { stream: 'FACT', percent: 9 }]);
  await watch.stop();
  t.is(gauges.size, 0);
});

test('every stream with a limit is watched', async (t) => {
  const { url } = await privateNats(t);
  const connection = await connectNats({ url, name: 'test' });
  t.teardown(() => connection.close());
  const { gauges, clock, ...seen } = watched();
  const watch = createStreamWatch({ connection, clock, ...seen });
  await watch.start();

  const limited = wantedStreams({ replicas: 1 }).filter(({ max_bytes }) => max_bytes > 0);

  t.deepEqual(
    [...gauges.keys()].filter((series) => series.startsWith('paddock.stream.fill')),
    limited.map(({ name }) => `paddock.stream.fill {"stream":"${name}"}`),
  );
  t.is(limited.length, 2);
  await watch.stop();
});

test('a broker that lost its streams is asked again', async (t) => {
  const { url } = await privateNats(t);
  const connection = await connectNats({ url, name: 'test' });
  t.teardown(() => connection.close());
  const { lines, gauges, clock, ...seen } = watched();
  const watch = createStreamWatch({ connection, clock, ...seen });
  await watch.start();
  await until(() => lines.length === 1);
  t.is(gauges.get('paddock.stream.fill {"stream":"EVT"}')?.(), undefined, 'not known is not empty');
  await ensureStreams(connection, { replicas: 1 });
  await jetstream(connection).publish('evt.test', new Uint8Array(30_000));

  await until(async () => {
    await clock.advance(60_000);
    return (gauges.get('paddock.stream.fill {"stream":"EVT"}')?.() ?? 0) > 0;
  });
  t.deepEqual(
    lines.map(([, text]) => text),
    ['what an alarm goes by could not be counted', 'what an alarm goes by is counted again'],
  );
  await watch.stop();
});
