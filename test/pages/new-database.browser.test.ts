/** A page in a real Chromium that was opened on one service and lives on at the same address over another one. */
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import test, { type ExecutionContext } from 'ava';
import type { BrowserContext } from 'playwright-core';
import { startTestService, type TestService } from '../support/edge.ts';
import { listening } from '../support/listening.ts';
import { plantEvents } from '../support/planted-events.ts';
import { until } from '../support/until.ts';
import { openBrowser } from './browser.ts';

let old: TestService;
let fresh: TestService;
let browser: BrowserContext & AsyncDisposable;

test.before(async () => {
  [old, fresh, browser] = await Promise.all([
    startTestService(),
    startTestService(),
    openBrowser(),
  ]);
});
test.after.always(async () => {
  await browser?.[Symbol.asyncDispose]();
  await Promise.all([old?.stop(), fresh?.stop()]);
});

/** One address, behind which another service may be by now, or one that refuses its stream of events. */
async function openAddress(t: ExecutionContext) {
  const address = { service: old, refusals: 0, feeds: [] as string[] };
  const isAsked = Promise.withResolvers<void>();
  const { server, origin } = await listening(t, async (incoming, outgoing) => {
    const { url = '' } = incoming;
    if (url.startsWith('/v1/public/leaderboard')) isAsked.resolve();
    if (url.startsWith('/v1/public/events')) {
      // A slow page first asks when its stream has begun: then nothing may have been missed.
      await isAsked.promise;
      address.feeds.push(url);
      if (address.refusals > 0) {
        address.refusals -= 1;
        return void outgoing.writeHead(503).end();
      }
    }
    passOn(incoming, outgoing, new URL(url, address.service.baseUrl));
  });
  const cut = () => server.closeAllConnections();
  return { address, cut, baseUrl: origin };
}

function passOn({ method, headers }: IncomingMessage, outgoing: ServerResponse, to: URL): void {
  const sent = request(to, { method, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  outgoing.once('close', () => sent.destroy());
  sent.once('error', () => outgoing.destroy());
  sent.end();
}

/** Its stream has told of an event; what it would ask again by the clock is taken from it. */
async function opened(t: ExecutionContext) {
  const { address, ...rest } = await openAddress(t);
  const page = await browser.newPage();
  t.teardown(() => page.close());
  let boards = 0;
  page.on('request', (sent) => {
    if (sent.url().includes('/v1/public/leaderboard')) boards += 1;
  });
  await page.addInitScript('window.setInterval = () => 0;');
  await page.bringToFront();
  await page.goto(`${rest.baseUrl}/`);
  await page.locator('.light.live').waitFor();
  /** Something has happened at a service, and the page asks what has changed by it. */
  const hears = async ({ sql }: TestService) => {
    const before = boards;
    const cursor = await plantEvents(sql, 1, 'version-eligible');
    await until(() => boards > before);
    return cursor;
  };
  // Once before the stream began, and once after it.
  await until(() => boards >= 2);
  await hears(old);
  return { ...rest, address, page, hears };
}

test.serial(
  'a page goes on where it was once a stream that was refused is to be had',
  async (t) => {
    const { address, cut, page, hears } = await opened(t);
    address.refusals = 2;
    cut();
    await page.locator('.light.lost').waitFor();

    await page.locator('.light.live').waitFor();

    const cursor = (await plantEvents(old.sql, 1, 'version-eligible')) - 1;
    t.is(address.feeds.at(-1), `/v1/public/events?cursor=${cursor}`);
    await hears(old);
  },
);

test.serial('a page that was open over another database begins anew with this one', async (t) => {
  const { address, cut, page, hears } = await opened(t);
  // Fewer events than the page has heard of: its cursor was never given out here.
  address.service = fresh;
  cut();
  await page.locator('.light.lost').waitFor();

  await page.locator('.light.live').waitFor();

  await hears(fresh);
  t.is(address.feeds.at(-1), '/v1/public/events');
});
