/** Pages in a real Chromium whose stream of events never begins, or began and fell silent. */
import test, { type ExecutionContext } from 'ava';
import type { BrowserContext } from 'playwright-core';
import { startTestService, type TestService } from '../support/edge.ts';
import { until } from '../support/until.ts';
import { openBrowser } from './browser.ts';
import { plantStream } from './planted-stream.ts';

let service: TestService;
let browser: BrowserContext & AsyncDisposable;

test.before(async () => {
  [service, browser] = await Promise.all([startTestService(), openBrowser()]);
});
test.after.always(async () => {
  await browser?.[Symbol.asyncDispose]();
  await service?.stop();
});

/** The leaderboard is there, and its stream does nothing of itself. */
async function opened(t: ExecutionContext) {
  const page = await browser.newPage();
  t.teardown(() => page.close());
  await page.clock.install();
  const stream = await plantStream(page);
  let boards = 0;
  page.on('request', (sent) => {
    if (sent.url().includes('/v1/public/leaderboard')) boards += 1;
  });
  await page.bringToFront();
  await page.goto(service.baseUrl);
  await page.locator('.empty').first().waitFor();
  const says = (state: string) => page.locator(`.light.${state}`).waitFor();
  return { page, stream, says, boards: () => boards };
}

test.serial(
  'a page whose stream never begins asks by the clock, and for another stream',
  async (t) => {
    const { page, stream, says, boards } = await opened(t);
    const before = boards();

    await page.clock.fastForward('00:31');
    await until(() => boards() > before);
    await page.clock.fastForward('00:31');
    await says('lost');
    await page.clock.fastForward('00:02');
    await until(async () => (await stream.counts()).all >= 2);
    t.is((await stream.counts()).open, 1);
  },
);

test.serial('a stream that fell silent is told as lost, and taken up again', async (t) => {
  const { page, stream, says, boards } = await opened(t);
  await stream.begin();
  await says('live');
  // Whatever is told is a sign of life.
  for (const told of ['heartbeat', 'run-claimed', 'heartbeat']) {
    await stream.tell(told, '7');
    await page.clock.fastForward('00:25');
  }
  t.is(await page.locator('.light').textContent(), 'Live');
  t.is((await stream.counts()).all, 1);
  const before = boards();

  await page.clock.fastForward('00:46');
  await says('lost');
  await page.clock.fastForward('00:31');
  await until(async () => boards() > before && (await stream.counts()).all >= 2);
  t.is((await stream.counts()).open, 1);
  t.is(await page.evaluate('window.streams.at(-1).url'), '/v1/public/events?cursor=7');

  await stream.begin();
  await says('live');
});

// As an edge of the release before, to which the page may come back.
test.serial('a stream that never had a heartbeat may be silent', async (t) => {
  const { page, stream, says } = await opened(t);
  await stream.begin();
  await stream.tell('heartbeat');
  await stream.begin();
  await stream.tell('run-claimed', '7');
  await says('live');

  await page.clock.fastForward('10:00');

  t.is(await page.locator('.light').textContent(), 'Live');
  t.is((await stream.counts()).all, 1);
});

test.serial('a question why a stream was refused that nobody answers is given up', async (t) => {
  const { page, stream, says } = await opened(t);
  const isAsked = Promise.withResolvers<void>();
  await page.route('**/v1/public/events*', () => isAsked.resolve());
  await stream.begin();
  await stream.tell('run-claimed', '7');
  await stream.refuse();
  await isAsked.promise;

  await page.clock.fastForward('01:01');
  await says('lost');
  await until(async () => {
    await page.clock.fastForward('00:02');
    return (await stream.counts()).all === 2;
  });
  t.is(await page.evaluate('window.streams.at(-1).url'), '/v1/public/events?cursor=7');
});
