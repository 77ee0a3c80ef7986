import test from 'ava';
import { createCounted } from '../../../actors/services/counted.ts';
import { ManualClock } from '../../support/manual-clock.ts';

type Line = readonly [level: string, text: string, fields: object | undefined];

/** Something that is counted every ten seconds: 7, unless that fails or nothing ever comes of it. */
async function counted() {
  const clock = new ManualClock();
  const lines: Line[] = [];
  const gauges = new Map<string, () => number | undefined>();
  const state = { failure: undefined as Error | undefined, hangs: false };
  const service = createCounted({
    clock,
    log: {
      warn: (text, fields) => lines.push(['warn', text, fields]),
      info: (text, fields) => lines.push(['info', text, fields]),
    },
    telemetry: {
      gauge: (name, read, attributes) => {
        const series = [name, ...Object.values(attributes ?? {})].join(' ');
        gauges.set(series, read);
        return () => void gauges.delete(series);
      },
    },
    everyMs: 10_000,
    what: 'stuck',
    count: async () => {
      if (state.hangs) await new Promise(() => undefined);
      if (state.failure !== undefined) throw state.failure;
    },
    shown: [{ name: 'paddock.stuck', read: () => 7, attributes: { kind: 'race' } }],
  });
  await service.start();
  const shown = () => gauges.get('paddock.stuck race')?.();
  const age = () => gauges.get('paddock.count.age stuck')?.();
  return { age, clock, gauges, lines, service, shown, state };
}

test('what was not counted yet, or cannot be counted for a minute, is not shown', async (t) => {
  const { age, clock, gauges, lines, service, shown, state } = await counted();
  t.is(shown(), undefined, 'zero would say that all is well');
  await clock.advance(10_000);
  t.is(shown(), 7);
  t.is(age(), 0);

  state.failure = new Error('no such column');
  await clock.advance(60_000);
  t.is(shown(), 7, 'one failure is no news of what is counted');
  t.is(age(), 60);
  await clock.advance(10_000);
  t.is(shown(), undefined);
  t.is(age(), 70);
  const about = { what: 'stuck', error: state.failure };
  t.deepEqual(lines, [['warn', 'what an alarm goes by could not be counted', about]], 'told once');

  state.failure = undefined;
  await clock.advance(10_000);
  t.is(shown(), 7);
  t.is(age(), 0);
  t.deepEqual(lines[1], ['info', 'what an alarm goes by is counted again', { what: 'stuck' }]);
  await service.stop();
  t.is(gauges.size, 0);
});

test('a count that never comes back, or never went well, grows old as well', async (t) => {
  const { age, clock, shown, state } = await counted();
  state.hangs = true;
  await clock.advance(300_000);

  t.is(shown(), undefined);
  t.is(age(), 300);
});
