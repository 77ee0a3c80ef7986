/** Pages in a real Chromium that stay open, that are left while something is under way, or that do not start. */
import test, { type ExecutionContext } from 'ava';
import type { BrowserContext, Page } from 'playwright-core';
import { startTestService, type TestService } from '../support/edge.ts';
import { until } from '../support/until.ts';
import { barriers, openBrowser } from './browser.ts';
import { plantStream } from './planted-stream.ts';
import { chooseView, signInAsOperator } from './signed-in.ts';

let service: TestService;
let browser: BrowserContext & AsyncDisposable;

test.before(async () => {
  [service, browser] = await Promise.all([startTestService(), openBrowser()]);
});
test.after.always(async () => {
  await browser?.[Symbol.asyncDispose]();
  await service?.stop();
});

async function blank(t: ExecutionContext) {
  const page = await browser.newPage();
  t.teardown(() => page.close());
  await page.bringToFront();
  return page;
}

// The margin by which the top has to be beaten falls from minute to minute, of which no event tells.
for (const [path, api] of [
  ['/app/emissions', '/v1/public/top'],
  ['/', '/v1/public/leaderboard'],
] as const) {
  test.serial(`what has to be beaten is asked for each minute at ${path}`, async (t) => {
    const page = await blank(t);
    await page.clock.install();
    const stream = await plantStream(page);
    let asked = 0;
    page.on('request', (sent) => {
      if (new URL(sent.url()).pathname === api) asked += 1;
    });
    await page.goto(service.baseUrl + path);
    await until(() => asked > 0);
    await stream.begin();
    // Once more when the stream begins.
    await until(() => asked > 1);

    await page.clock.fastForward('01:01');
    await until(() => asked > 2);
    t.is(await page.locator('.light').textContent(), 'Live');
  });
}

// In a rollout the page is of one release, and who answers it of the one before.
test.serial('what is stuck is listed as well by an edge that knows of no bound', async (t) => {
  const page = await blank(t);
  const failures: unknown[] = [];
  page.on('pageerror', (error) => failures.push(error));
  const at = '2026-11-30T00:00:00.000Z';
  const why = 'its partition has no live owner';
  const record = {
    kind: 'run',
    id: 'lost',
    state: 'RUNNING',
    since: at,
    deadline: null,
    owner: null,
  };
  const json = { stuck: [{ ...record, why }], total: 1, checked_at: at };
  await page.route('**/v1/admin/stuck', (route) => route.fulfill({ json }));
  await signInAsOperator(page, service);
  await chooseView(page, 'Stuck');
  await page.getByRole('cell', { name: why }).or(page.getByText(why)).first().waitFor();
  t.true(await page.getByText('1 records are stuck', { exact: true }).isVisible());
  t.deepEqual(failures, []);
});

for (const isOld of [false, true]) {
  const edge = isOld ? 'an edge that tells nothing of it' : 'an edge that tells of it';
  test.serial(`what holds a race’s work is shown to operators, by ${edge}`, async (t) => {
    const page = await blank(t);
    const failures: unknown[] = [];
    page.on('pageerror', (error) => failures.push(error));
    const held = [
      {
        hold_reason: 'REPEATED_FAILURES',
        items: 2,
        next_ends_at: new Date(Date.now() + 20 * 60_000),
      },
      { hold_reason: 'MINER_BANNED', items: 1, next_ends_at: null },
    ];
    const race = {
      ...{ race_id: '00000000-0000-4000-8000-000000000001', race_number: 7 },
      ...{ status: 'RACE_RUNNING', qualifying_closes_at: new Date(), deadline_at: null },
      ...(isOld ? {} : { work: { items: 9, open: 4, live_runs: 1, held } }),
    };
    await page.route('**/v1/admin/overview', async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ json: { ...(await answer.json()), current_race: race } });
    });
    await signInAsOperator(page, service);
    await page.getByText('7, race running').waitFor();
    const told = (await page.locator('main').textContent()) ?? '';
    t.is(told.includes('4 of 9 entrants not done, 1 runs live'), !isOld);
    t.is(/2 of the race are held: REPEATED_FAILURES: .* offered again in/.test(told), !isOld);
    t.is(/1 of the race is held: MINER_BANNED: /.test(told), !isOld);
    const figure = page.locator('dl.facts div', { hasText: 'Work of the race that is held' });
    t.is(await figure.locator('dd').textContent(), isOld ? '0' : '3');
    t.deepEqual(failures, []);
  });
}

// As where the page came from an edge of one release, and an edge of another is asked for its script.
const script = '**/app/assets/main-*.js';

test.serial('a page whose script is not to be had says so, and what to do', async (t) => {
  const page = await blank(t);
  await page.route(script, (route) => route.fulfill({ status: 404 }));
  await page.goto(service.baseUrl);
  await page.getByText('This page did not start').waitFor();
  t.deepEqual(await barriers(page), []);

  await page.unroute(script);
  await page.getByRole('link', { name: 'Load it again' }).click();
  await page.locator('h1', { hasText: 'Leaderboard' }).waitFor();
  t.is(await page.getByText('This page did not start').count(), 0);
});

test.serial('a page whose script takes a while does not say that it will not come', async (t) => {
  const page = await blank(t);
  await page.route(script, () => undefined);
  await page.goto(service.baseUrl, { waitUntil: 'commit' });
  await page.locator('#app p').waitFor({ state: 'attached' });

  const visibilityAt = (ms: number) =>
    page.evaluate(`{
      const [shown] = document.getAnimations();
      shown.pause();
      shown.currentTime = ${ms};
      getComputedStyle(document.querySelector('#app p')).visibility;
    }`);
  t.is(await visibilityAt(4_000), 'hidden');
  t.is(await visibilityAt(8_000), 'visible');
});

test.serial('who types and then asks for the other board gets what was typed on it', async (t) => {
  const page = await blank(t);
  await plantStream(page);
  // Until who types has paused, as long as the test likes.
  await page.addInitScript(`const after = window.setTimeout;
    window.setTimeout = (call, ms, ...rest) => {
      if (ms !== 250) return after(call, ms, ...rest);
      window.paused = call;
      return 0;
    };`);
  await page.goto(service.baseUrl);
  await page.getByRole('searchbox').fill('abc');
  await until(async () => (await page.evaluate('typeof window.paused')) === 'function');
  await page.getByRole('link', { name: 'Races' }).click();
  await page.waitForURL('**/?board=race');
  await page.getByRole('link', { name: 'Races' }).and(page.locator('[aria-current]')).waitFor();

  await page.evaluate('window.paused()');
  t.is(new URL(page.url()).search, '?q=abc&board=race');
  t.is(await page.getByRole('searchbox').inputValue(), 'abc');
});

for (const [how, leave] of [
  [
    'for another of the pages',
    async (page: Page) => {
      await page.getByRole('link', { name: 'Leaderboard' }).click();
      await page.locator('h1', { hasText: 'Leaderboard' }).waitFor();
      await page.goBack();
    },
  ],
  // A browser may keep the page as it was, and show it again when somebody comes back.
  ['for elsewhere', (page: Page) => page.evaluate(`dispatchEvent(new Event('pagehide'))`)],
] as const) {
  test.serial(`an operator who leaves ${how} leaves no token behind`, async (t) => {
    const page = await blank(t);
    await signInAsOperator(page, service);
    await chooseView(page, 'Stuck');
    await page.getByText('there is nothing to do').waitFor();

    await leave(page);
    await page.getByLabel('Operator’s token').waitFor();
    t.is(await page.getByLabel('Operator’s token').inputValue(), '');
  });
}

test.serial('a wallet that puts itself into the page late is seen', async (t) => {
  const page = await blank(t);
  await page.addInitScript(`{
    let looks = 0;
    const late = { enable: () => Promise.reject(new Error('not needed')) };
    Object.defineProperty(window, 'injectedWeb3', { get: () => (++looks > 3 ? { late } : undefined) });
  }`);
  await page.goto(`${service.baseUrl}/app/account`);
  await page.getByRole('button', { name: 'Use late' }).waitFor();
  t.is(await page.getByText('No wallet is present').count(), 0);
});
