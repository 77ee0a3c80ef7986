/**
 * What makes pages quick and easy to use, in a real Chromium, as counts that are the same on every
 * machine: bytes, requests, shifts of what was already shown, nodes, headings. No times.
 */
import test, { type ExecutionContext } from 'ava';
import type { BrowserContext, Page, Route } from 'playwright-core';
import { startTestService, type TestService } from '../support/edge.ts';
import { addActiveSuite, addVersion } from '../support/trial-races.ts';
import { until } from '../support/until.ts';
import { openBrowser } from './browser.ts';
import { holdFetches } from './held-fetches.ts';
import { networkRecord, type PageRequest } from './network-record.ts';
import { openShopWorld, type ShopWorld } from './shop-world.ts';

const kilobyte = 1024;

let world: ShopWorld;
let browser: BrowserContext & AsyncDisposable;

test.before(async () => {
  [world, browser] = await Promise.all([openShopWorld(), openBrowser()]);
});
test.after.always(async () => {
  await browser?.[Symbol.asyncDispose]();
  await world?.service.stop();
});

interface Listed {
  readonly name: string;
  readonly path: string;
  /** What is there only once the data is. */
  readonly shows: string;
  /** Different answers that it asks for, at the most. */
  readonly answers: number;
}

function listed(): readonly Listed[] {
  const [version = ''] = world.versions;
  const [run, other] = world.runs;
  return [
    { name: 'leaderboard', path: '/', shows: 'tbody tr', answers: 1 },
    { name: 'version', path: `/app/versions/${version}`, shows: '.heat .cell', answers: 4 },
    { name: 'race', path: '/app/races', shows: 'progress', answers: 4 },
    { name: 'done race', path: `/app/races/${world.doneRaceId}`, shows: '.plot', answers: 4 },
    { name: 'run', path: `/app/runs/${run}`, shows: 'tbody tr', answers: 3 },
    { name: 'two runs', path: `/app/runs/${run}?with=${other}`, shows: 'tbody tr', answers: 5 },
    { name: 'emissions', path: '/app/emissions', shows: '.reign', answers: 6 },
    { name: 'validators', path: '/app/validators', shows: 'tbody tr', answers: 4 },
    { name: 'episodes', path: '/app/episodes', shows: 'input[type=file]', answers: 0 },
    { name: 'account', path: '/app/account', shows: '.empty', answers: 0 },
    { name: 'operator', path: '/app/operator', shows: 'input[type=password]', answers: 0 },
  ];
}

async function opened(t: ExecutionContext, by: BrowserContext = browser): Promise<Page> {
  const page = await by.newPage();
  t.teardown(() => page.close());
  return page;
}

async function show(page: Page, { path, shows }: Pick<Listed, 'path' | 'shows'>): Promise<void> {
  await page.bringToFront();
  await page.goto(world.service.baseUrl + path);
  await page.locator(shows).first().waitFor({ state: 'attached' });
  await page.locator('.loading').first().waitFor({ state: 'detached' });
}

const isAnswer = ({ url, type }: PageRequest) =>
  url.pathname.startsWith('/v1/') && type !== 'EventSource';
/** From the service's own store, which the page of emissions reads the heads of. */
const isBundle = ({ href }: URL) =>
  href.startsWith(`${world.service.objects.url}/`) && href.includes('/bundles/');
const isOfThePage = ({ url }: PageRequest) => !url.pathname.startsWith('/v1/');
const sum = (requests: readonly PageRequest[]) =>
  requests.reduce((total, { wireBytes }) => total + wireBytes, 0);
const told = (requests: readonly PageRequest[]) =>
  requests.map(({ url, type, wireBytes }) => `${type} ${url.pathname} ${wireBytes}`);

test.serial('a first visit brings three small files and nothing of anybody else', async (t) => {
  await using own = await openBrowser();
  const page = await opened(t, own);
  const requests = await networkRecord(page);
  await show(page, { path: '/', shows: 'tbody tr' });
  const files = requests.filter(isOfThePage);
  t.deepEqual(files.map(({ type }) => type).toSorted(), ['Document', 'Script', 'Stylesheet']);
  t.true(sum(files) > 0 && sum(files) < 48 * kilobyte, told(files).join(', '));
  for (const { url, headers, status } of files) {
    t.is(status, 200);
    t.regex(headers['content-encoding'] ?? '', /^(br|gzip)$/, url.pathname);
  }
  t.true(sum(requests.filter(isAnswer)) < 16 * kilobyte, told(requests).join(', '));
});

test.serial('a second visit brings next to nothing', async (t) => {
  await using own = await openBrowser();
  const first = await opened(t, own);
  await show(first, { path: '/', shows: 'tbody tr' });
  await first.close();
  const page = await opened(t, own);
  const requests = await networkRecord(page);
  await show(page, { path: '/', shows: 'tbody tr' });
  const files = requests.filter(isOfThePage);
  t.true(sum(files) < kilobyte, told(files).join(', '));
  for (const { type, isFromStore, headers } of files) {
    if (type === 'Document') t.is(headers['cache-control'], 'no-cache');
    else t.true(isFromStore, type);
  }
});

test.serial('no page asks much, anybody else, or the same thing again and again', async (t) => {
  for (const each of listed()) {
    const page = await opened(t);
    const requests = await networkRecord(page);
    await show(page, each);
    const { origin } = new URL(world.service.baseUrl);
    const mayAsk = ({ url }: PageRequest) => url.origin === origin || isBundle(url);
    t.deepEqual(
      requests.filter((each) => !mayAsk(each)).map(({ url }) => url.href),
      [],
      each.name,
    );
    const times = new Map<string, number>();
    for (const { url } of requests.filter(isAnswer)) {
      const address = url.pathname + url.search;
      times.set(address, (times.get(address) ?? 0) + 1);
    }
    t.true(times.size <= each.answers, `${each.name}: ${[...times.keys()].join(', ')}`);
    // Once more when the stream of events begins, for what came about before it.
    for (const [address, count] of times) t.true(count <= 2, `${each.name}: ${count} × ${address}`);
    t.true(requests.filter(({ type }) => type === 'EventSource').length <= 1, each.name);
    await page.close();
  }
});

/** Answers wait until they are let go, all that wait together. */
async function holdAnswers(page: Page) {
  let waiting: Route[] = [];
  await page.route(/\/v1\/(?!public\/events)/, (route) => void waiting.push(route));
  return {
    /** How many were let go; none were waiting when it is 0. */
    async letGo(): Promise<number> {
      const those = waiting;
      waiting = [];
      await Promise.all(those.map((route) => route.continue()));
      return those.length;
    },
  };
}

test.serial('no page waits for one answer after the other', async (t) => {
  for (const { name, path, shows, answers } of listed()) {
    if (answers === 0) continue;
    const page = await opened(t);
    const held = await holdFetches(page);
    await page.bringToFront();
    await page.goto(world.service.baseUrl + path);
    const asked = new Set<string>();
    let turns = 0;
    const isThere = async () =>
      (await page.locator(shows).count()) > 0 && (await page.locator('.loading').count()) === 0;
    while (!(await isThere())) {
      const before = asked.size;
      for (const address of await held.next()) asked.add(address);
      // What is asked again, because its time has come, waited for nothing.
      if (asked.size > before) turns += 1;
    }
    t.true(
      turns >= 1 && turns <= 2,
      `${name}: ${turns} turns of answers, ${[...asked].join(', ')}`,
    );
    await page.close();
  }
});

const observeShifts = `window.shifts = [];
  new PerformanceObserver((list) => window.shifts.push(...list.getEntries()
    .filter((entry) => !entry.hadRecentInput).map((entry) => entry.value)))
    .observe({ type: 'layout-shift', buffered: true });`;

test.serial('what is shown stays where it is when the data comes', async (t) => {
  const shifts = new Map<string, number>();
  for (const { name, path, shows, answers } of listed()) {
    const page = await opened(t);
    await page.addInitScript(observeShifts);
    const held = await holdAnswers(page);
    await page.bringToFront();
    await page.goto(world.service.baseUrl + path);
    // What is there without data is painted, and whatever moves it is seen.
    await page.locator('main > *').first().waitFor();
    await painted(page);
    for (let isDone = answers === 0; !isDone; await painted(page)) {
      await held.letGo();
      const isShown = (await page.locator(shows).count()) > 0;
      isDone = isShown && (await page.locator('.loading').count()) === 0;
    }
    await painted(page);
    const shift = await page.evaluate('window.shifts.reduce((sum, each) => sum + each, 0)');
    shifts.set(name, Number(shift));
    await page.close();
  }
  t.log(...[...shifts].map(([name, shift]) => `${name} ${shift.toFixed(4)}`));
  for (const [name, shift] of shifts) t.true(shift < 0.1, `${name}: ${shift}`);
});

function painted(page: Page): Promise<unknown> {
  return page.evaluate(
    'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))',
  );
}

test.serial('one style sheet of its own is all that a page waits for to be drawn', async (t) => {
  const page = await opened(t);
  await show(page, { path: '/', shows: 'tbody tr' });
  const resources = (await page.evaluate(
    `performance.getEntriesByType('resource').map(({ name, renderBlockingStatus, initiatorType }) =>
      ({ name: new URL(name).pathname, renderBlockingStatus, initiatorType }))`,
  )) as readonly { name: string; renderBlockingStatus: string; initiatorType: string }[];
  const blocking = resources.filter((each) => each.renderBlockingStatus === 'blocking');
  t.deepEqual(
    blocking.map(({ name }) => name.replace(/-\w+/, '')),
    ['/app/assets/styles.css'],
  );
  // Named by the document itself, so that both are asked for at once.
  const own = resources.filter(({ name }) => name.startsWith('/app/'));
  t.deepEqual(own.map(({ initiatorType }) => initiatorType).toSorted(), ['link', 'script']);
  t.is(await page.evaluate('document.fonts.size'), 0, 'no letters to wait for');
});

const structureText = `({
  lang: document.documentElement.lang,
  title: document.title,
  viewport: document.querySelector('meta[name=viewport]').content,
  description: document.querySelector('meta[name=description]').content,
  levels: [...document.querySelectorAll('h1, h2, h3, h4, h5, h6')].map(({ tagName }) => Number(tagName[1])),
  unsized: [...document.querySelectorAll('img, video, iframe')].filter((each) => !each.width || !each.height).length,
  nodes: document.querySelectorAll('*').length,
})`;

interface Structure {
  readonly lang: string;
  readonly title: string;
  readonly viewport: string;
  readonly description: string;
  readonly levels: readonly number[];
  readonly unsized: number;
  readonly nodes: number;
}

const structureOf = async (page: Page) => (await page.evaluate(structureText)) as Structure;

test.serial('every page says what it is, under headings in their order', async (t) => {
  const titles = new Set<string>();
  for (const each of listed()) {
    const page = await opened(t);
    await show(page, each);
    // It is named after it was drawn.
    await until(async () => (await page.title()).endsWith(' · Paddock'));
    const { lang, title, viewport, description, levels, unsized, nodes } = await structureOf(page);
    t.is(lang, 'en');
    titles.add(title);
    t.is(viewport, 'width=device-width, initial-scale=1', 'and whoever wants may zoom');
    t.true(description.length > 20);
    t.is(levels.filter((level) => level === 1).length, 1, each.name);
    for (const [index, level] of levels.entries()) {
      t.true(level <= (levels[index - 1] ?? 0) + 1, `${each.name}: ${levels.join(' ')}`);
    }
    t.is(unsized, 0, each.name);
    t.true(nodes < 1_500, `${each.name}: ${nodes} nodes`);
    await page.close();
  }
  t.true(titles.size >= listed().length - 2, [...titles].join(', '));
});

test.serial(
  'at 200 % nothing has to be scrolled sideways, by zoom or by larger letters',
  async (t) => {
    await using zoomed = await openBrowser({ width: 640 });
    for (const each of listed()) {
      const page = await opened(t, zoomed);
      await show(page, each);
      const width = () => page.evaluate('document.documentElement.scrollWidth');
      t.is(await width(), 640, `${each.name} at half the width`);
      await page.setViewportSize({ width: 1280, height: 900 });
      await page.evaluate(`document.documentElement.style.fontSize = '200%'`);
      t.is(await width(), 1280, `${each.name} with letters of twice the size`);
      await page.close();
    }
  },
);

test.serial('who wants no motion sees none, also while it loads', async (t) => {
  for (const [motion, expected] of [
    ['no-preference', true],
    ['reduce', false],
  ] as const) {
    const page = await opened(t);
    await page.emulateMedia({ reducedMotion: motion });
    const held = await holdAnswers(page);
    await page.bringToFront();
    await page.goto(world.service.baseUrl);
    await page.locator('.loading').first().waitFor();
    t.is(await page.evaluate('document.getAnimations().length > 0'), expected, motion);
    // Some of what is loading may not be asked for yet.
    for (let isDone = false; !isDone; await painted(page)) {
      await held.letGo();
      const isShown = (await page.locator('tbody tr').count()) > 0;
      isDone = isShown && (await page.locator('.loading').count()) === 0;
    }
    t.is(await page.evaluate('document.getAnimations().length'), 0, motion);
  }
});

const rows = 1_000;

async function openLongBoard(): Promise<TestService> {
  const service = await startTestService();
  const suiteId = await addActiveSuite(service.sql);
  for (let count = 0; count < rows; count++) await addVersion(service.sql, suiteId, `key-${count}`);
  return service;
}

test.serial('a leaderboard of a thousand is as light as one of fifty', async (t) => {
  const service = await openLongBoard();
  t.teardown(() => service.stop());
  const page = await opened(t);
  const requests = await networkRecord(page);
  await page.bringToFront();
  for (const query of ['', '?page=20']) {
    await page.goto(`${service.baseUrl}/${query}`);
    await page.locator('tbody tr >> nth=49').waitFor();
    t.true((await page.locator('.facts').textContent())?.includes('1,000'));
    t.is(await page.locator('tbody tr').count(), 50);
    const { nodes } = await structureOf(page);
    t.true(nodes < 1_500, `${nodes} nodes`);
  }
  const [answer] = requests.filter(isAnswer);
  t.true((answer?.wireBytes ?? Number.NaN) < 16 * kilobyte, `${answer?.wireBytes} bytes`);
});
