import test, { type ExecutionContext } from 'ava';
import { fetchBytes, putBytes, TransferFailed } from '../../../apps/validator/transfer.ts';
import { sha256Hex } from '../../../infra/ids/ids.ts';
import { listening } from '../../support/listening.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { until } from '../../support/until.ts';

/** A store that reads what it is sent and never says so. */
async function silentStore(t: ExecutionContext) {
  const heard = Promise.withResolvers<void>();
  const { origin } = await listening(t, (message) => {
    message.resume();
    message.on('end', () => heard.resolve());
  });
  return { url: `${origin}/key`, heard: heard.promise };
}

for (const [sizeBytes, seconds] of [
  [0, 30],
  [2_000_000, 130],
  [20_000_000, 600],
] as const) {
  test(`an upload of ${sizeBytes} bytes is given up after ${seconds} seconds`, async (t) => {
    const { url, heard } = await silentStore(t);
    const clock = new ManualClock();
    const by = { contentType: 'text/plain', clock, signal: new AbortController().signal };
    let isOver = false;
    const put = putBytes(url, new Uint8Array(sizeBytes), by).finally(() => {
      isOver = true;
    });
    const failed = t.throwsAsync(put, {
      instanceOf: TransferFailed,
      message: `an upload of ${sizeBytes} bytes was not answered within ${seconds} s`,
    });
    await heard;
    await clock.advance(seconds * 1000 - 1);
    t.false(isOver);
    await clock.advance(1);
    await failed;
  });
}

test('an upload that was taken is waited for no longer, which would keep a process from its end', async (t) => {
  const { origin } = await listening(t, (message, response) => {
    message.resume();
    response.end();
  });
  const clock = new ManualClock();
  const signal = new AbortController().signal;
  await putBytes(`${origin}/key`, new Uint8Array(0), { contentType: 'text/plain', clock, signal });

  t.false(clock.isAwaited(30_000));
});

for (const where of ['itself', 'after a redirect']) {
  test(`a page in the place of a store, ${where}, has taken nothing`, async (t) => {
    const { origin } = await listening(t, (message, response) => {
      message.resume();
      if (where !== 'itself' && message.url === '/key')
        return response.writeHead(302, { location: '/sorry' }).end();
      return response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<h1>');
    });
    const put = putBytes(`${origin}/key`, new Uint8Array(1), {
      ...{ contentType: 'text/plain', clock: new ManualClock() },
      signal: new AbortController().signal,
    });

    await t.throwsAsync(put, {
      instanceOf: TransferFailed,
      message: 'an upload was answered with a page, as no store does',
    });
  });
}

// As some stores do that speak S3, and others' besides.
test('a store that calls its empty answer HTML has taken the upload', async (t) => {
  const { origin } = await listening(t, (message, response) => {
    message.resume();
    message.once('end', () =>
      response
        .writeHead(200, { 'content-type': 'text/html; charset=UTF-8', 'content-length': 0 })
        .end(),
    );
  });

  await t.notThrowsAsync(
    putBytes(`${origin}/key`, new Uint8Array(1), {
      ...{ contentType: 'text/plain', clock: new ManualClock() },
      signal: new AbortController().signal,
    }),
  );
});

test('an upload that is stopped says what it was stopped for', async (t) => {
  const { url, heard } = await silentStore(t);
  const stopping = new AbortController();
  const clock = new ManualClock();
  const put = putBytes(url, new Uint8Array(1), {
    ...{ contentType: 'text/plain', clock },
    signal: stopping.signal,
  });
  await heard;
  stopping.abort(new Error('the run is lost'));
  await t.throwsAsync(put, { message: 'the run is lost' });
});

for (const begin of [false, true]) {
  const where = begin ? 'in the middle of it' : 'before it begins';
  test(`a download that stalls ${where} is begun again after thirty seconds`, async (t) => {
    let asked = 0;
    const { origin } = await listening(t, (_message, response) => {
      asked += 1;
      if (asked > 1) response.end('whole');
      else if (begin) response.writeHead(200).write('wh');
    });
    const announced = { url: `${origin}/`, sha256: sha256Hex('whole') };
    const clock = new ManualClock();
    const { signal } = new AbortController();
    const bytes = fetchBytes({ ...announced, sizeBytesMax: 5 }, clock, signal);
    await until(() => asked === 1);
    await clock.advance(29_000);
    t.is(asked, 1);
    await until(async () => {
      await clock.advance(1_000);
      return asked > 1;
    });

    t.is(Buffer.from(await bytes).toString(), 'whole');
  });
}

/** Pauses between two attempts pass at once; nothing that is under way is late by it. */
class PauseClock extends ManualClock {
  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const slept = super.sleep(ms, signal);
    if (ms < 30_000) void this.advance(ms);
    return slept;
  }
}

/** A store that serves nothing for so long, and how it says so. */
async function storeThatIsAway(
  t: ExecutionContext,
  { seconds, by }: { readonly seconds: number; readonly by: 'a cut line' | 403 | 503 },
) {
  const [clock, store] = [new PauseClock(), { asked: 0 }];
  const { origin } = await listening(t, (message, response) => {
    store.asked += 1;
    if (clock.monotonicMs() >= seconds * 1000) response.end('whole');
    else if (by === 'a cut line') message.socket.destroy();
    else response.writeHead(by).end('<Error/>');
  });
  const announced = { url: `${origin}/`, sha256: sha256Hex('whole'), sizeBytesMax: 5 };
  const fetched = () => fetchBytes(announced, clock, new AbortController().signal);
  return { clock, store, fetched };
}

for (const by of ['a cut line', 503] as const) {
  test(`a store that is away for minutes, by ${by}, costs no run`, async (t) => {
    const { fetched } = await storeThatIsAway(t, { seconds: 500, by });

    t.is(Buffer.from(await fetched()).toString(), 'whole');
  });

  test(`a store that is away for more than ten minutes, by ${by}, is given up`, async (t) => {
    const { clock, store, fetched } = await storeThatIsAway(t, { seconds: 3600, by });

    await t.throwsAsync(fetched(), { instanceOf: TransferFailed });
    t.true(clock.monotonicMs() >= 600_000, `${clock.monotonicMs()} ms`);
    t.true(store.asked < 100, `${store.asked} times`);
  });
}

test('an address that is refused is asked four times', async (t) => {
  const { store, fetched } = await storeThatIsAway(t, { seconds: 3600, by: 403 });

  await t.throwsAsync(fetched(), { message: 'a download was answered 403' });
  t.is(store.asked, 4);
});
