import test from 'ava';
import { ClockWatch } from '../../apps/edge/clock-watch.ts';
import { clockProbe } from '../../apps/edge/write-probes.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { silentLogger } from '../support/silent-telemetry.ts';

type Line = readonly [level: string, text: string, fields: object | undefined];

function watching() {
  const lines: Line[] = [];
  const log = {
    ...silentLogger,
    error: (text: string, fields?: object) => lines.push(['error', text, fields]),
    warn: (text: string, fields?: object) => lines.push(['warn', text, fields]),
  };
  const clock = new ManualClock();
  const watch = new ClockWatch({ skewSeconds: 60, clock, log });
  /** Of an answer that was asked for at second 100 of the host, and of which second the database says it is. */
  const heard = (databaseSeconds: number, tookSeconds = 0) =>
    watch.heard({
      askedMs: 100_000,
      heardMs: 100_000 + tookSeconds * 1_000,
      databaseMs: databaseSeconds * 1_000,
    });
  return { clock, heard, lines, watch };
}

test('a clock is as far ahead as no answer on its way could explain', (t) => {
  const { heard, watch } = watching();
  t.is(watch.aheadSeconds, undefined, 'nothing was heard yet');
  heard(80);
  t.is(watch.aheadSeconds, 20);
  heard(120);
  t.is(watch.aheadSeconds, -20);
  // The database looked at its clock at some moment between the question and the answer.
  heard(110, 30);
  t.is(watch.aheadSeconds, 0);
  heard(80, 30);
  t.is(watch.aheadSeconds, 20);
  heard(150, 30);
  t.is(watch.aheadSeconds, -20);
});

test('beyond half of what a timestamp may be off a clock is off, and says so once', async (t) => {
  const { heard, lines, watch } = watching();
  const probe = clockProbe(watch);
  heard(130);
  await t.notThrowsAsync(probe);
  t.deepEqual(lines, []);

  heard(131);
  heard(131);
  await t.throwsAsync(probe, {
    name: 'WriteBlocked',
    message: 'its clock is 31 s behind that of the database',
  });
  heard(50);
  await t.throwsAsync(probe, { message: 'its clock is 50 s ahead of that of the database' });
  t.deepEqual(lines, [['error', 'THE CLOCK OF THIS HOST IS OFF', { aheadSeconds: -31 }]]);

  heard(100);
  await t.notThrowsAsync(probe);
  t.deepEqual(lines[1], ['warn', 'the clock of this host is right again', { aheadSeconds: 0 }]);
});

test('of a database that says nothing any more it is not known how far its clock is', async (t) => {
  const { clock, heard, watch } = watching();
  heard(50);
  await clock.advance(29_000);
  t.is(watch.aheadSeconds, 50);
  await clock.advance(2_000);
  t.is(watch.aheadSeconds, undefined);
  await t.notThrowsAsync(clockProbe(watch), 'other probes tell of the database');
});
