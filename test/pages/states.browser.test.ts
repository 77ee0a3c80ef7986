/**
 * Every part of every page in a real Chromium, while it loads, when it fails and when there is nothing. What is
 * listed here is held against the sources of the pages, so that nothing new is left out.
 */
import test, { type ExecutionContext } from 'ava';
import type { BrowserContext, Page } from 'playwright-core';
import { type PageName, pagePaths } from '../../apps/dashboard/page-paths.ts';
import { startTestService, type TestService } from '../support/edge.ts';
import { claim, submit } from '../support/evaluation-client.ts';
import { okBody, openTrialSuite } from '../support/trial-suite.ts';
import { until } from '../support/until.ts';
import { barriers, complaintsOf, keepShot, openBrowser } from './browser.ts';
import { fileOf, partsOf } from './drawn-parts.ts';
import { type Panel, showsItsStates, statesAreAccessible } from './panels.ts';
import { openShopWorld, type ShopWorld } from './shop-world.ts';
import { chooseView, plantWallet, signInAsOperator, signInByWallet } from './signed-in.ts';

let world: ShopWorld;
/** Nothing happened here before a test makes it. */
let empty: TestService;
let browser: BrowserContext & AsyncDisposable;
let rejudgingId: string;

test.before(async () => {
  [world, empty, browser] = await Promise.all([
    openShopWorld(),
    startTestService({ env: { COOLDOWN_SECONDS: '0' } }),
    openBrowser(),
  ]);
  const body = { agent_version_id: world.versions[0], phase: 'QUALIFYING', reason: 'a look' };
  const made = await world.service.operator('POST', '/v1/admin/rejudgings', { body });
  ({ rejudging_id: rejudgingId } = await okBody<{ rejudging_id: string }>(made));
  // Until then the page of emissions says that it could not be read.
  const { service, doneRaceId } = world;
  await until(
    async () => (await service.call('GET', `/v1/public/races/${doneRaceId}/bundle`)).status === 200,
  );
});
test.after.always(async () => {
  await browser?.[Symbol.asyncDispose]();
  await Promise.all([world?.service.stop(), empty?.stop()]);
});

const at = (path: string) => (page: Page) => page.goto(world.service.baseUrl + path);
/** From another view, for the first one asks at once. */
const atDesk = async (page: Page) => {
  await signInAsOperator(page, world.service);
  await chooseView(page, 'Audit log');
  await page.locator('tbody tr').first().waitFor();
};
const view = (what: string, api: string, name: string): Panel => ({
  ...{ what, api, before: atDesk },
  open: (page) => chooseView(page, name),
});

function panels(): Readonly<Record<PageName, readonly Panel[]>> {
  const version = at(`/app/versions/${world.versions[0]}`);
  const [run, other] = world.runs;
  const inRuns = at(`/app/runs/${run}?with=${other}`);
  const ofVersion = '/v1/public/agent-versions/*';
  const race = at(`/app/races/${world.doneRaceId}`);
  const races = at('/app/races');
  const validators = at('/app/validators');
  const emissions = at('/app/emissions');
  return {
    leaderboard: [{ what: 'the leaderboard', api: '/v1/public/leaderboard*', open: at('/') }],
    version: [
      { what: 'this version', api: `${ofVersion}/status`, open: version },
      { what: 'the runs', api: `${ofVersion}/runs`, open: version },
      { what: 'the tasks', api: `${ofVersion}/problems*`, open: version },
    ],
    races: [
      { what: 'the race', api: '/v1/public/races/current', open: races },
      { what: 'past races', api: '/v1/public/races/history*', open: races },
    ],
    race: [
      { what: 'the race', api: `/v1/public/races/${world.doneRaceId}`, open: race },
      {
        what: 'the validators’ differences',
        api: '/v1/public/races/*/validator-variance',
        open: race,
      },
    ],
    run: [
      { what: 'this run', api: `/v1/public/evaluation-runs/${run}`, open: inRuns },
      { what: 'the other run', api: `/v1/public/evaluation-runs/${other}`, open: inRuns },
      {
        ...{ what: 'the runs to compare with', isQuiet: true },
        ...{ api: `${ofVersion}/runs`, open: inRuns },
      },
      {
        ...{ what: 'the episode', api: '/v1/public/artifacts/download-url' },
        open: at(`/app/runs/${run}?task=task-001`),
      },
    ],
    // They are read from the reader's own disk.
    episodes: [],
    emissions: [
      { what: 'the top', api: '/v1/public/top', open: emissions },
      { what: 'the payout', api: '/v1/public/top-miner-payout', open: emissions },
      { what: 'the history of the top', api: '/v1/public/top/history', open: emissions },
      { what: 'past races', api: '/v1/public/races/history*', open: emissions },
    ],
    validators: [
      { what: 'the validators', api: '/v1/public/validators', open: validators },
      { what: 'what runs now', api: '/v1/public/evaluations/running', open: validators },
      { what: 'the queue', api: '/v1/public/evaluations/pending*', open: validators },
    ],
    operator: [
      view('the overview', '/v1/admin/overview', 'Overview'),
      view('parked messages', '/v1/admin/parked-messages*', 'Overview'),
      view('the queue', '/v1/public/evaluations/pending*', 'Queue'),
      view('the partitions', '/v1/admin/partitions', 'Partitions'),
      view('what is stuck', '/v1/admin/stuck', 'Stuck'),
      view('the rejudgings', '/v1/admin/rejudgings?*', 'Rejudging'),
      {
        ...{ what: 'the rejudging', api: '/v1/admin/rejudgings/*' },
        before: async (page) => {
          await atDesk(page);
          await chooseView(page, 'Rejudging');
        },
        open: (page) => page.getByRole('button', { name: rejudgingId.slice(0, 8) }).click(),
      },
      view('the traces', '/v1/admin/traces?*', 'Traces'),
      {
        ...{ what: 'the audit log', api: '/v1/admin/audit-log*' },
        before: (page) => signInAsOperator(page, world.service),
        open: (page) => chooseView(page, 'Audit log'),
      },
    ],
    account: [
      {
        ...{ what: 'your agents', api: '/v1/miner/agents' },
        before: (page) => plantWallet(page, world.miner),
        open: (page) => signInByWallet(page, world.service.baseUrl),
      },
    ],
  };
}

async function blank(t: ExecutionContext) {
  const page = await browser.newPage();
  t.teardown(() => page.close());
  await page.bringToFront();
  return page;
}

for (const name of Object.keys(pagePaths) as PageName[]) {
  test.serial(
    `each part of the page "${name}" says that it loads or failed, and recovers`,
    async (t) => {
      for (const panel of panels()[name]) {
        const page = await blank(t);
        await showsItsStates(t, page, panel);
        await page.close();
      }
      const [first] = panels()[name];
      if (first === undefined) t.pass();
      else if (first.before === undefined) await statesAreAccessible(t, await blank(t), first.open);
    },
  );
}

/** Traces are kept for a world of their own; see traces.browser.test.ts. */
const elsewhere: Partial<Readonly<Record<PageName, readonly string[]>>> = {
  operator: ['the trace'],
};

const sorted = (names: readonly string[]) => [...new Set(names)].toSorted();

for (const file of new Set((Object.keys(pagePaths) as PageName[]).map(fileOf))) {
  test(`no part of ${file} is left out`, (t) => {
    const drawn = (Object.keys(pagePaths) as PageName[]).filter((page) => fileOf(page) === file);
    const listed = drawn.flatMap((page) => [
      ...panels()
        [page].filter(({ isQuiet }) => isQuiet !== true)
        .map(({ what }) => what),
      ...(elsewhere[page] ?? []),
    ]);
    t.deepEqual(sorted(partsOf(file)), sorted(listed));
  });
}

test.serial('an order that failed is not said to be tried again by itself', async (t) => {
  const page = await blank(t);
  await page.route('**/v1/admin/overview', (route) => route.abort());
  await at('/app/operator')(page);
  await page.getByLabel('Operator’s token').fill('x'.repeat(40));
  await page.getByRole('button', { name: 'Open' }).click();
  const told = (await page.getByRole('alert').textContent()) ?? '';
  t.regex(told, /The service did not answer.*UNANSWERED/);
  t.notRegex(told, /again/);
});

// As when a device wakes up in another network: the line is dead, and nobody says so.
test.serial('a question that nobody answers is given up, and asked again', async (t) => {
  const page = await blank(t);
  await page.clock.install();
  // What browsers that the pages are built for do not all have.
  await page.addInitScript('delete AbortSignal.any');
  const isAsked = Promise.withResolvers<void>();
  await page.route('**/v1/public/leaderboard*', () => isAsked.resolve(), { times: 1 });
  await page.goto(world.service.baseUrl);
  await isAsked.promise;
  await page.getByText('Loading the leaderboard').waitFor();

  await page.clock.fastForward('01:05');
  await page.getByText('The service did not answer.').waitFor();
  await page.clock.fastForward('00:10');
  await page.locator('tbody tr').first().waitFor();
  t.pass();
});

/** What a page says where there is nothing, and what will be there or what to do. */
interface Nothing {
  readonly path: string;
  readonly says: readonly string[];
  /** Something is looked for that is not there, of which browsers tell. */
  readonly isMissing?: boolean;
}

async function says(t: ExecutionContext, page: Page, texts: readonly string[], where: string) {
  for (const text of texts) await page.locator('.empty', { hasText: text }).first().waitFor();
  await page.locator('.loading').first().waitFor({ state: 'detached' });
  t.deepEqual(await barriers(page), [], where);
  await keepShot(page, `empty${where.replaceAll(/[/ ]/g, '-')}`);
}

async function sayAll(t: ExecutionContext, { baseUrl }: TestService, all: readonly Nothing[]) {
  for (const { path, says: texts, isMissing } of all) {
    const page = await blank(t);
    const complaints = complaintsOf(page);
    await page.goto(baseUrl + path);
    await says(t, page, texts, path.split('?')[0]?.replace(/[0-9a-f-]{36}/, 'id') ?? '');
    const isToldOf = (text: string) => isMissing === true && text.includes('404');
    t.deepEqual(
      complaints.filter((text) => !isToldOf(text)),
      [],
      path,
    );
    await page.close();
  }
}

test.serial('where nothing ever happened every page says what will be there', async (t) => {
  await sayAll(t, empty, [
    { path: '/', says: ['an operator activates the first one'] },
    {
      path: '/app/races',
      says: ['the first one opens when a suite is activated', 'Each is listed here once it is'],
    },
    { path: '/app/emissions', says: ['until a race makes one', 'the first race decides'] },
    {
      path: '/app/validators',
      says: [
        ...['from its first signed request on', 'What a validator claims is listed here'],
        'What miners submit is listed here',
      ],
    },
    { path: '/app/account', says: ['Install a wallet'] },
  ]);
});

test.serial('every view of an operator says so where there is nothing', async (t) => {
  const page = await blank(t);
  await signInAsOperator(page, empty);
  for (const [name, text] of [
    ['Overview', 'every message was delivered, and there is nothing to do'],
    ['Queue', 'What miners submit is listed here'],
    ['Stuck', 'and there is nothing to do'],
    ['Rejudging', 'the form above has runs judged again'],
    ['Audit log', 'Every order is listed here, and why'],
  ] as const) {
    await chooseView(page, name);
    await says(t, page, [text], `operator ${name}`);
  }
});

test.serial('what has just begun says what comes next', async (t) => {
  const { service } = world;
  const [run] = world.runs;
  const running = await okBody<readonly { eval_run_id: string }[]>(
    await service.call('GET', '/v1/public/evaluations/running'),
  );
  await sayAll(t, service, [
    {
      path: `/app/versions/${world.waitingVersion}`,
      says: ['Its runs are listed here from then on', 'as validators store them'],
    },
    { path: `/app/runs/${running[0]?.eval_run_id}`, says: ['sealed until its race is released'] },
    {
      ...{ path: `/app/runs/${run}?task=task-005`, isMissing: true },
      says: ['stored no episode for this task'],
    },
    { path: `/app/runs/${run}?task=nowhere`, says: ['there is no result of this task'] },
    { path: '/?q=nobody-at-all', says: ['No agent and no hotkey fits “nobody-at-all”'] },
  ]);

  await openTrialSuite(empty);
  await submit(await empty.miner('an early miner'), { name: 'early' });
  const { eval_run_id: claimed } = await claim(await empty.validator('an early judge'));
  await sayAll(t, empty, [
    { path: '/', says: ['The first ones appear here when their validators are done'] },
    { path: '/app/races', says: ['The field is fixed when qualifying closes'] },
    { path: `/app/runs/${claimed}`, says: ['as the validator sends them'] },
  ]);

  const page = await blank(t);
  await plantWallet(page, await empty.miner('a miner without agents'));
  await signInByWallet(page, empty.baseUrl);
  await says(t, page, ['npx paddock submit'], '/app/account/none');
});

async function fails(page: Page, api: string, status: number) {
  const headers = { 'retry-after': '60' };
  const json = { detail: 'Too much at once.', error_code: 'OVERLOADED' };
  await page.route(api, (route) => route.fulfill({ status, headers, json }));
}

test.serial('a search that failed lists no hits of the one before', async (t) => {
  const page = await blank(t);
  await at('/?q=careful')(page);
  const rows = page.locator('tbody tr');
  await rows.first().waitFor();
  await fails(page, '**/v1/public/leaderboard?*q=zzz*', 429);
  await page.getByRole('searchbox').fill('zzz');
  const alert = page.getByRole('alert').filter({ hasText: 'Too many requests' });
  await alert.waitFor();
  t.is(await rows.count(), 0);
  t.is(await page.getByText('may be out of date').count(), 0);

  await page.unroute('**/v1/public/leaderboard?*q=zzz*');
  await alert.getByRole('button', { name: 'Try again now' }).click();
  await page.getByText('No agent and no hotkey fits “zzz”').waitFor();
});

test.serial('a run that cannot be read is not shown as the one before', async (t) => {
  const page = await blank(t);
  const [run, other] = world.runs;
  await at(`/app/runs/${run}?with=${other}`)(page);
  const table = page.getByRole('table');
  await table.first().waitFor();
  const choice = page.getByLabel('Compare with');
  const options = choice.locator('option');
  // They are an answer of their own: none, the other run, and a third.
  await options.nth(2).waitFor({ state: 'attached' });
  const values = await options.evaluateAll((all) => all.map((each) => each.getAttribute('value')));
  const third = values.find((value) => value !== '' && value !== other) ?? '';
  await fails(page, `**/v1/public/evaluation-runs/${third}`, 503);
  await choice.selectOption(third);
  await page.getByRole('alert').filter({ hasText: 'Could not load the other run.' }).waitFor();
  t.is(await table.count(), 0);
});

test.serial('the answer before is told as such while another is asked for', async (t) => {
  const page = await blank(t);
  await at('/')(page);
  const rows = page.locator('tbody tr');
  await rows.nth(3).waitFor();
  const held = Promise.withResolvers<void>();
  await page.route('**/v1/public/leaderboard?*q=careful*', async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.getByRole('searchbox').fill('careful');
  const told = page.getByRole('status').filter({ hasText: 'Loading the leaderboard …' });
  await told.waitFor();
  t.is(await rows.count(), 4, 'nothing flickers');
  await page.locator('.earlier').waitFor();
  held.resolve();
  await told.waitFor({ state: 'detached' });
  await rows.nth(1).waitFor({ state: 'detached' });
  t.is(await page.locator('.earlier').count(), 0);
});
