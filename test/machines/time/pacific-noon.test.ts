import test from 'ava';
import fc from 'fast-check';
import { nextClose } from '../../../machines/time/pacific-noon.ts';

const pacificNoon = { closeTime: '12:00', timeZone: 'America/Los_Angeles' };
const hourMs = 3_600_000;
const iso = (ms: number) => new Date(ms).toISOString();
const closeAfter = (instant: string) => iso(nextClose(Date.parse(instant), pacificNoon));

const worked: readonly (readonly [string, string, string])[] = [
  ['a second before noon', '2026-07-08T18:59:59.000Z', '2026-07-08T19:00:00.000Z'],
  ['at noon itself', '2026-07-08T19:00:00.000Z', '2026-07-09T19:00:00.000Z'],
  ['a millisecond before noon', '2026-07-08T18:59:59.999Z', '2026-07-08T19:00:00.000Z'],
  ['on the eve of the short day', '2026-03-07T21:00:00.000Z', '2026-03-08T19:00:00.000Z'],
  ['on the eve of the long day', '2026-10-31T20:00:00.000Z', '2026-11-01T20:00:00.000Z'],
  ['on the last evening of a year', '2026-12-31T23:00:00.000Z', '2027-01-01T20:00:00.000Z'],
];

for (const [when, now, expected] of worked) {
  test(`a race that opens ${when} closes at ${expected}`, (t) => {
    t.is(closeAfter(now), expected);
  });
}

test('qualifying closes at Pacific noon on every day of five years', (t) => {
  const closes = noonsByTheLaw(2026, 2030);
  t.is(closes.length, 1826);

  let at = Date.parse('2025-12-31T20:00:00Z');
  for (const expected of closes) {
    at = nextClose(at, pacificNoon);
    if (at !== expected) t.fail(`${iso(at)} is not ${iso(expected)}`);
  }
});

test('one day of a year is 23 hours long, one is 25, and all others are 24', (t) => {
  const lengths = new Map<string, number>();
  let at = Date.parse('2025-12-31T20:00:00Z');
  while (at < Date.parse('2030-12-31T20:00:00Z')) {
    const next = nextClose(at, pacificNoon);
    const key = `${iso(next).slice(0, 4)} ${(next - at) / hourMs}`;
    lengths.set(key, (lengths.get(key) ?? 0) + 1);
    at = next;
  }

  for (const year of [2026, 2027, 2028, 2029, 2030]) {
    t.is(lengths.get(`${year} 23`), 1);
    t.is(lengths.get(`${year} 25`), 1);
  }
  t.is(lengths.size, 15);
});

test('of any instant the close is the first noon after it', (t) => {
  const closes = noonsByTheLaw(2026, 2030);
  const first = closes[0] ?? 0;
  const instants = fc.integer({ min: first, max: (closes.at(-1) ?? 0) - 1 });
  const property = fc.property(instants, (nowMs) => {
    return nextClose(nowMs, pacificNoon) === closes.find((close) => close > nowMs);
  });
  t.notThrows(() => fc.assert(property));
});

test('a time of day that a change of the clocks leaves out comes after the gap', (t) => {
  const early = { closeTime: '02:30', timeZone: 'America/Los_Angeles' };

  const closes = [nextClose(Date.parse('2026-03-08T08:00:00Z'), early)];
  closes.push(nextClose(closes[0] ?? 0, early));

  t.deepEqual(closes.map(iso), ['2026-03-08T10:30:00.000Z', '2026-03-09T09:30:00.000Z']);
});

test('of a time of day that comes twice the first counts, and it counts once', (t) => {
  const early = { closeTime: '01:30', timeZone: 'America/Los_Angeles' };

  const closes = [nextClose(Date.parse('2026-11-01T08:00:00Z'), early)];
  closes.push(nextClose(closes[0] ?? 0, early));

  t.deepEqual(closes.map(iso), ['2026-11-01T08:30:00.000Z', '2026-11-02T09:30:00.000Z']);
});

/** By the Energy Policy Act: summer from the second Sunday of March to the first of November. */
function noonsByTheLaw(from: number, to: number): readonly number[] {
  const noons: number[] = [];
  for (let year = from; year <= to; year++) {
    const summer = sunday(year, 3, 2);
    const winter = sunday(year, 11, 1);
    for (let day = Date.UTC(year, 0, 1); day < Date.UTC(year + 1, 0, 1); day += 24 * hourMs) {
      noons.push(day + (day >= summer && day < winter ? 19 : 20) * hourMs);
    }
  }
  return noons;
}

/** Midnight UTC of the n-th Sunday of a month. */
function sunday(year: number, month: number, n: number): number {
  const first = new Date(Date.UTC(year, month - 1, 1)).getUTCDay();
  return Date.UTC(year, month - 1, 1 + ((7 - first) % 7) + (n - 1) * 7);
}
