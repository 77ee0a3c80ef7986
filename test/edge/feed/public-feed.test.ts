import { EventEmitter, getEventListeners } from 'node:events';
import test from 'ava';
import { FeedTail } from '../../../apps/edge/feed/feed-tail.ts';
import { type FeedListener, PublicFeed } from '../../../apps/edge/feed/public-feed.ts';
import { StreamSlots } from '../../../apps/edge/feed/stream-slots.ts';
import { followEvents } from '../../../apps/edge/routes/public/follow-events.ts';
import type { StoredEvent } from '../../../machines/feed/public-event.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { silentLogger } from '../../support/silent-telemetry.ts';

/** A feed in memory, which counts how often it is read. */
async function openFeed() {
  const clock = new ManualClock();
  const stored: StoredEvent[] = [];
  let looks = 0;
  let isAway = false;
  let held: Promise<void> | undefined;
  let tell: (body: unknown) => void = () => undefined;
  const tail = new FeedTail({
    reads: {
      newest: async () => stored.at(-1)?.cursor ?? 0,
      after: async (cursor, limit) => {
        looks += 1;
        if (isAway) throw new Error('the store is away');
        const found = stored.filter((event) => event.cursor > cursor).slice(0, limit);
        await held;
        return found;
      },
    },
    signals: {
      onSignal: (_, receive) => {
        tell = receive;
        return { close: async () => undefined };
      },
    },
    clock,
    log: silentLogger,
  });
  await tail.start();
  const feed = new PublicFeed({
    tail,
    clock,
    isReadOnly: () => false,
    slots: new StreamSlots({ max: 1_000, perAddressMax: 1_000 }),
  });
  const listen = async (cursor?: number, gone = new AbortController()) => {
    const start = { cursor, loc: ['query', 'cursor'], address: 'here' };
    const chunks = await feed.open(start, { gone: gone.signal, onClose: () => undefined });
    const heard: string[] = [];
    const over = (async () => {
      for await (const chunk of chunks) heard.push(chunk);
    })();
    await rest();
    return { heard, over, leave: () => gone.abort() };
  };
  const add = (count: number) => {
    for (let more = 0; more < count; more++) {
      const cursor = (stored.at(-1)?.cursor ?? 0) + 1;
      stored.push({ cursor, type: 'version-eligible', atMs: 0, body: { place: cursor } });
    }
  };
  /** The database went back, and its operators have accepted that. */
  const restore = (newest: number) => {
    stored.splice(stored.findIndex(({ cursor }) => cursor > newest));
    stored.push({ cursor: 2 ** 32, type: 'history-restored', atMs: 0, body: { branch: 1 } });
  };
  return {
    ...{ clock, tail, listen, add, restore },
    signal: async () => {
      tell({});
      await rest();
    },
    goAway: (away: boolean) => {
      isAway = away;
    },
    /** Whoever reads from now on has the answer only then. */
    hold: (until: Promise<void> | undefined) => {
      held = until;
    },
    looks: () => looks,
  };
}

/** Lets everything that is not waiting for the clock run. */
async function rest(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
}

/** With a name, for a browser tells its page of no comment; without an id, for it is none of the feed. */
const beat = 'event: heartbeat\ndata: {}\n\n';

const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

const ids = (heard: readonly string[]) =>
  [
    ...heard
      .slice(1)
      .join('')
      .matchAll(/^id: (\d+)$/gm),
  ].map(([, id]) => Number(id));

test('a stream says at once that it will be heard of, and every 15 seconds while it is quiet', async (t) => {
  const { clock, listen, add, signal } = await openFeed();
  const { heard } = await listen();
  t.deepEqual(heard, [`retry: 2000\nid: 0\n\n${beat}`]);
  await clock.advance(14_900);
  t.is(heard.length, 1);
  await clock.advance(100);
  await rest();
  t.deepEqual(heard.slice(1), [beat]);
  await clock.advance(10_000);
  add(1);
  await signal();
  t.deepEqual(ids(heard), [1]);
  // From the last word on.
  await clock.advance(14_000);
  await rest();
  t.is(heard.length, 3);
});

test('a signal brings news at once, and without one they come within a second', async (t) => {
  const { clock, listen, add, signal } = await openFeed();
  const { heard } = await listen();
  add(2);
  await signal();
  t.deepEqual(ids(heard), [1, 2]);
  add(1);
  await rest();
  t.deepEqual(ids(heard), [1, 2]);
  await clock.advance(1_000);
  await rest();
  t.deepEqual(ids(heard), [1, 2, 3]);
});

test('however many listen, news are read once, and while nobody does not at all', async (t) => {
  const { clock, listen, add, signal, looks } = await openFeed();
  add(5);
  await signal();
  await clock.advance(10_000);
  t.is(looks(), 0);
  const listeners = await Promise.all(Array.from({ length: 50 }, () => listen()));
  add(3);
  await signal();
  for (const { heard } of listeners) t.deepEqual(ids(heard), [6, 7, 8]);
  t.true(looks() <= 2, `${looks()} looks`);
  for (const { leave } of listeners) leave();
  await Promise.all(listeners.map(({ over }) => over));
  const before = looks();
  await clock.advance(10_000);
  t.is(looks(), before);
  // Who comes after a time without listeners is not told what others once read.
  add(4);
  const { heard } = await listen(10);
  t.deepEqual(ids(heard), [11, 12]);
});

test('those who are at the same place long past read it together', async (t) => {
  const { listen, add, looks } = await openFeed();
  add(1_800);
  const listeners = await Promise.all(Array.from({ length: 50 }, () => listen(0)));
  const late = await listen(700);
  for (let page = 0; page < 5; page++) await rest();
  const all = Array.from({ length: 1_800 }, (_, index) => index + 1);
  for (const { heard } of listeners) t.deepEqual(ids(heard), all);
  t.deepEqual(ids(late.heard), all.slice(700));
  t.true(looks() <= 8, `${looks()} looks`);
});

test('a restore is heard by whoever listens, and by those who come with cursors from before', async (t) => {
  const { listen, add, restore, signal } = await openFeed();
  add(3);
  const live = await listen(2);
  add(4);
  await signal();

  restore(5);
  add(2);
  await signal();

  const since = [2 ** 32, 2 ** 32 + 1, 2 ** 32 + 2];
  t.deepEqual(ids(live.heard), [3, 4, 5, 6, 7, ...since]);
  t.deepEqual(ids((await listen(7)).heard), since);
  t.deepEqual(ids((await listen(4)).heard), [5, ...since]);
  t.deepEqual(ids((await listen(2 ** 32)).heard), since.slice(1));
});

test('while the store is away nothing is said, and afterwards nothing is missing', async (t) => {
  const { clock, listen, add, signal, goAway } = await openFeed();
  const { heard } = await listen();
  goAway(true);
  add(3);
  await signal();
  await clock.advance(2_000);
  t.deepEqual(ids(heard), []);
  goAway(false);
  await clock.advance(1_000);
  await rest();
  t.deepEqual(ids(heard), [1, 2, 3]);
});

test('what could not be read of the past is read by whoever comes afterwards', async (t) => {
  const { listen, add, goAway } = await openFeed();
  add(1_200);
  goAway(true);
  for (const cursor of [0, 0, 500, 700]) {
    const { over } = await listen(cursor);
    await t.throwsAsync(over, { message: 'the store is away' });
  }
  goAway(false);

  for (const cursor of [0, 500, 700]) {
    const { heard } = await listen(cursor);
    for (let page = 0; page < 4; page++) await rest();
    t.deepEqual(ids(heard), range(cursor + 1, 1_200));
  }
});

test('what is said while the store is read is not left to the next second', async (t) => {
  const { clock, listen, add, signal, hold } = await openFeed();
  const { heard } = await listen();
  const read = Promise.withResolvers<void>();
  hold(read.promise);
  add(1);
  await signal();
  add(1);
  await signal();
  hold(undefined);
  read.resolve();
  await rest();
  t.deepEqual(ids(heard), [1]);
  await clock.advance(20);
  await rest();
  t.deepEqual(ids(heard), [1, 2]);
});

test('however much came at once, all of it is told at once', async (t) => {
  const { listen, add, signal } = await openFeed();
  const { heard } = await listen();
  add(1_700);
  await signal();
  for (let page = 0; page < 4; page++) await rest();
  t.deepEqual(ids(heard), range(1, 1_700));
});

test('who stays for long hears all, and weighs no more than who has just come', async (t) => {
  const { clock, listen, add, signal } = await openFeed();
  const gone = new AbortController();
  const { heard } = await listen(0, gone);
  for (let batch = 0; batch < 30; batch++) {
    add(150);
    await signal();
    await clock.advance(1_000);
    await rest();
  }
  t.deepEqual(ids(heard), range(1, 4_500));
  t.true(getEventListeners(gone.signal, 'abort').length <= 1);
});

/** A feed with room for one stream alone, and another one that somebody hears. */
async function openNarrowFeed({ isReadOnly = false } = {}) {
  const of = await openFeed();
  const feed = new PublicFeed({
    ...{ tail: of.tail, clock: of.clock, isReadOnly: () => isReadOnly },
    slots: new StreamSlots({ max: 1, perAddressMax: 1 }),
  });
  const open = async (cursor?: number) => {
    const closes: (() => void)[] = [];
    const start = { cursor, loc: ['query', 'cursor'], address: 'here' };
    const chunks = await feed.open(start, {
      gone: new AbortController().signal,
      onClose: (close) => closes.push(close),
    });
    return { chunks, close: () => closes.map((close) => close()) };
  };
  return { ...of, open };
}

test('a stream that nobody begins gives its place back when its connection ends', async (t) => {
  const { open } = await openNarrowFeed();
  const { close } = await open();
  await t.throwsAsync(open(), { message: /At most 1/ });
  close();
  await t.notThrowsAsync(open());
});

test('a cursor that was never given out takes no place', async (t) => {
  const { open } = await openNarrowFeed();
  await t.throwsAsync(open(1), { message: /^A parameter or field is not valid/ });
  await t.notThrowsAsync(open());
});

test('a cursor from before the database went back is not called wrong while nobody has accepted that', async (t) => {
  const { open } = await openNarrowFeed({ isReadOnly: true });
  await t.throwsAsync(open(1), { code: 'READ_ONLY' });
  await t.notThrowsAsync(open(0));
});

test('whose connection ended before its stream was opened leaves its place', async (t) => {
  const closes: string[] = [];
  const feed = {
    open: async (_: object, listener: FeedListener) => {
      listener.onClose(() => closes.push('closed'));
      return [];
    },
  };
  const context = (destroyed: boolean) => ({
    ...{ headers: {}, remoteAddress: 'here', signal: new AbortController().signal },
    stream: { method: 'GET', socket: Object.assign(new EventEmitter(), { destroyed }) },
  });
  const follow = async (of: ReturnType<typeof context>) =>
    await followEvents.handle({ query: {}, context: of } as never, { feed } as never);
  await follow(context(true));
  t.deepEqual(closes, ['closed']);
  const open = context(false);
  await follow(open);
  t.is(closes.length, 1);
  open.stream.socket.emit('close');
  t.is(closes.length, 2);
});

test('who leaves is counted out once, and keeps nobody else from the news', async (t) => {
  const { listen, open, add, signal } = await openNarrowFeed();
  const { heard } = await listen();
  const { chunks, close } = await open();
  for await (const _ of chunks) break;
  close();
  add(1);
  await signal();
  t.deepEqual(ids(heard), [1]);
});

test('an edge that stops ends all streams', async (t) => {
  const { tail, listen } = await openFeed();
  const listeners = await Promise.all([listen(), listen()]);
  await tail.stop();
  await Promise.all(listeners.map(({ over }) => over));
  t.pass();
});

test('places are given back once, and by address', (t) => {
  const slots = new StreamSlots({ max: 3, perAddressMax: 2 });
  const [first] = [slots.take('a'), slots.take('a')];
  t.throws(() => slots.take('a'), { message: /At most 2/ });
  slots.take('b');
  t.throws(() => slots.take('c'), { message: /No more streams/ });
  first?.();
  first?.();
  slots.take('a');
  t.throws(() => slots.take('a'), { message: /At most 2/ });
  t.throws(() => slots.take('c'), { message: /No more streams/ });
});
