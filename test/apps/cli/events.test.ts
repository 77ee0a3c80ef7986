import test, { type ExecutionContext } from 'ava';
import { paddockClient } from '../../../apps/cli/client/paddock.generated.ts';
import { Refusal, Unanswered } from '../../../apps/cli/client/refusal.ts';
import { sender } from '../../../apps/cli/client/send.ts';
import type { ServerEvent } from '../../../apps/cli/client/server-events.ts';
import { events } from '../../../apps/cli/commands/events.ts';
import type { Desk } from '../../../apps/cli/desk.ts';
import { screen } from '../../../apps/cli/show/screen.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { lineAt } from '../../support/answered-line.ts';
import { listening } from '../../support/listening.ts';
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

/** A service that says `parts`, one connection after the other, and is cut off after each; where it was asked from. */
async function heardOver(t: ExecutionContext, parts: readonly string[], ...args: string[]) {
  const stopping = new AbortController();
  const asked: (string | null)[] = [];
  const { origin: baseUrl } = await listening(t, ({ url = '' }, response) => {
    const part = parts[asked.length];
    asked.push(new URL(url, 'http://x').searchParams.get('cursor'));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (part === undefined) stopping.abort();
    else response.write(part, () => response.destroy());
  });
  const clock = { ...systemClock, sleep: (_ms: number, signal?: AbortSignal) => turn(signal) };
  const client = paddockClient(sender({ baseUrl, clock: systemClock }));
  const desk = { client, clock, stopping: stopping.signal };
  return { asked, ...(await lineAt(desk, 'events', ...args)) };
}

/** No pause, and room for all that comes by itself. */
async function turn(signal?: AbortSignal): Promise<void> {
  if (signal?.aborted !== true) await new Promise(setImmediate);
}

const eventText = (cursor: number, type: string, of: object = {}) =>
  `id: ${cursor}\nevent: ${type}\ndata: ${JSON.stringify({ cursor, type, at, ...of })}\n\n`;
const at = '2026-11-24T20:00:00.000Z';
const cursorsOf = (out: string) =>
  out.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line).cursor]));

test('who is cut off goes on behind the last event, without gap or repeat', async (t) => {
  const { asked, code, out } = await heardOver(
    t,
    [
      `retry: 2000\nid: 4\n\n${eventText(5, 'race-opened')}${eventText(6, 'race-closed')}`,
      `id: 6\n\n${eventText(7, 'race-started')}id: 8\nevent: race-com`,
      eventText(8, 'race-completed'),
    ],
    ...['--from', '4', '--json'],
  );

  t.deepEqual(asked, ['4', '6', '7', '8']);
  t.deepEqual(cursorsOf(out), [5, 6, 7, 8]);
  t.is(code, 130);
});

test('who came for what is new goes on where that began, though nothing was told before the cut', async (t) => {
  const { asked, out } = await heardOver(t, ['id: 41\n\n', eventText(42, 'race-opened')], '--json');

  t.deepEqual(asked, [null, '41', '42']);
  t.deepEqual(cursorsOf(out), [42]);
});

test('who asks for some types goes on behind the others, and hears of a restore all the same', async (t) => {
  const restored = eventText(2 ** 32, 'history-restored', { branch: 1, last_kept_cursor: 6 });
  const { asked, out, error } = await heardOver(
    t,
    [`${eventText(6, 'race-closed')}${restored}`],
    ...['--from', '5', '--type', 'race-opened', '--json'],
  );

  t.deepEqual(asked, ['5', String(2 ** 32)]);
  t.is(out, '');
  t.regex(error, /went back to an earlier state; what was told after event 6 never was\n$/);
});
