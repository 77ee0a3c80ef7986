import test from 'ava';
import { ForeignAnswer } from '../../../apps/cli/client/foreign-answer.ts';
import { Refusal, Unanswered } from '../../../apps/cli/client/refusal.ts';
import type { Desk } from '../../../apps/cli/desk.ts';
import { look } from '../../../apps/cli/look.ts';
import { screen } from '../../../apps/cli/show/screen.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const refused = (status: number, headers: Record<string, string> = {}) =>
  new Refusal('GET /', { status, headers: new Headers(headers) }, undefined);

/** Looks until something is seen; each failure comes of one look. */
async function looked(failures: unknown[]) {
  const clock = new ManualClock();
  const notes: string[] = [];
  const on = { isLive: false, isStyled: false, columns: () => 200, rows: () => 24 };
  const err = screen({ ...on, stream: { write: (text: string) => notes.push(text) } });
  const desk = {
    ...{ clock, err, out: err },
    stopping: new AbortController().signal,
    baseUrl: 'http://a',
  };
  const askedAtMs: number[] = [];
  const ask = async () => {
    askedAtMs.push(clock.monotonicMs());
    if (failures.length > 0) throw failures.shift();
    return 'seen';
  };
  const seen = look(ask, desk as unknown as Desk).next();
  // The first look is over, and its pause has begun.
  await new Promise(setImmediate);
  return { clock, notes, askedAtMs, seen };
}

test('who looks too often is told so, and looks again when the service said', async (t) => {
  const { clock, notes, askedAtMs, seen } = await looked([refused(429, { 'retry-after': '42' })]);
  await clock.advance(42_000);

  t.is((await seen).value, 'seen');
  t.deepEqual(askedAtMs, [0, 42_000]);
  t.deepEqual(notes, [
    'paddock: too many requests came from here; asking again in 42 s …\n',
    'paddock: the service answers again\n',
  ]);
});

test('an outage is told once, however often it is found, and by what it is', async (t) => {
  const gone = () => new Unanswered('GET http://a/: the connection failed');
  const { clock, notes, askedAtMs, seen } = await looked([gone(), gone(), refused(502)]);
  for (let at = 0; at < 3; at++) await clock.advance(5_000);

  t.is((await seen).value, 'seen');
  t.deepEqual(askedAtMs, [0, 5_000, 10_000, 15_000]);
  t.deepEqual(notes, [
    'paddock: http://a does not answer; waiting for it …\n',
    'paddock: the service answered 502; waiting for it …\n',
    'paddock: the service answers again\n',
  ]);
});

test('what answers in the place of the service is named, and waited for', async (t) => {
  const of = { baseUrl: 'http://a', url: 'http://a/v1', method: 'GET' };
  const says = 'redirects to https://login.example/';
  const { clock, notes, seen } = await looked([new ForeignAnswer({ ...of, says })]);
  await clock.advance(5_000);

  t.is((await seen).value, 'seen');
  t.is(notes[0], 'paddock: http://a redirects to https://login.example/; waiting for it …\n');
});

test('a service that has another address now is not waited for here', async (t) => {
  const of = { baseUrl: 'http://a', url: 'http://a/v1', method: 'GET' };
  const moved = new ForeignAnswer({ ...of, says: 'redirects', movedTo: 'https://a' });
  const desk = { clock: new ManualClock(), stopping: new AbortController().signal };

  t.is(
    await t.throwsAsync(look(() => Promise.reject(moved), desk as unknown as Desk).next()),
    moved,
  );
});
