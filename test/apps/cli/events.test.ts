import test from 'ava';
import { Refusal, Unanswered } from '../../../apps/cli/client/refusal.ts';
import type { ServerEvent } from '../../../apps/cli/client/server-events.ts';
import { events } from '../../../apps/cli/commands/events.ts';
import type { Desk } from '../../../apps/cli/desk.ts';
import { screen } from '../../../apps/cli/show/screen.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const refused = (status: number, headers: Record<string, string> = {}) =>
  new Refusal('GET /v1/public/events', { status, headers: new Headers(headers) }, undefined);

async function* told(): AsyncGenerator<ServerEvent> {
  const data = { cursor: 1, at: '2026-11-24T20:00:00.000Z', type: 'race-opened', race_number: 7 };
  yield { event: 'race-opened', id: '1', data: JSON.stringify(data) };
}

/** Follows the feed, whose first answers are these failures; then one stream comes, and Ctrl-C. */
async function followed(failures: unknown[], type?: string) {
  const clock = new ManualClock();
  const stopping = new AbortController();
  const [said, notes]: [string[], string[]] = [[], []];
  const on = (texts: string[]) =>
    screen({
      stream: { write: (text: string) => texts.push(text) },
      ...{ isLive: false, isStyled: false, columns: () => 200, rows: () => 24 },
    });
  const askedAtMs: number[] = [];
  const getPublicEvents = async () => {
    askedAtMs.push(clock.monotonicMs());
    const [failure] = failures.splice(0, 1);
    if (failure !== undefined) throw failure;
    setImmediate(() => stopping.abort());
    return told();
  };
  const desk = { clock, isJson: false, stopping: stopping.signal, client: { getPublicEvents } };
  const asked = { count: () => undefined, text: () => type };
  const ended = events.run(
    asked as unknown as Parameters<typeof events.run>[0],
    { ...desk, out: on(said), err: on(notes) } as unknown as Desk,
  );
  // The first answer is there, and its pause has begun.
  await new Promise(setImmediate);
  return { clock, askedAtMs, said, notes, ended };
}

for (const [status, what] of [
  [429, 'too many requests came from here'],
  [503, 'the service answered 503'],
] as const) {
  test(`who follows the feed comes back when a ${status} said, and not before`, async (t) => {
    const { clock, ...heard } = await followed([refused(status, { 'retry-after': '42' })]);

    await clock.advance(42_000);
    await heard.ended;

    t.deepEqual(heard.askedAtMs, [0, 42_000]);
    t.regex(heard.said.join(''), /race-opened .*race number 7/);
    t.deepEqual(heard.notes, [
      `paddock: ${what}; asking again in 42 s …\n`,
      'paddock: the service answers again\n',
    ]);
  });
}

test('a refusal of the feed that says no time, or none to speak of, is asked again in a second', async (t) => {
  const away = new Unanswered('GET http://a/: the connection failed');
  const { clock, ...heard } = await followed([
    refused(503),
    refused(503, { 'retry-after': '0' }),
    away,
  ]);

  await clock.advance(3_000);
  await heard.ended;

  t.deepEqual(heard.askedAtMs, [0, 1_000, 2_000, 3_000]);
});

test('a type that nobody knows is said to be none, and waited for all the same', async (t) => {
  const wrong = await followed([], 'race-complete');
  await wrong.clock.advance(1_000);
  await wrong.ended;
  t.is(wrong.said.length, 0);
  t.regex(wrong.notes.join(''), /called "race-complete"; there are .*race-completed/);

  const right = await followed([], 'race-opened');
  await right.clock.advance(1_000);
  await right.ended;
  t.regex(right.said.join(''), /race number 7/);
  t.deepEqual(right.notes, []);
});
