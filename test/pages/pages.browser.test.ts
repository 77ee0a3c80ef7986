/**
 * The pages in a real Chromium, before a real service with data that its own API made: each with data,
 * by keyboard, and in every look held to the rules of accessibility. SHOTS=FOLDER keeps a picture of each for a person to look at.
 */
import test, { type ExecutionContext } from 'ava';
import type { BrowserContext, Page } from 'playwright-core';
import type { ProblemProgress } from '../../apps/cli/client/schemas.generated.ts';
import { submit } from '../support/evaluation-client.ts';
import { okBody } from '../support/trial-suite.ts';
import { until } from '../support/until.ts';
import { barriers, complaintsOf, keepShot, type Look, openBrowser } from './browser.ts';
import { hostileText, openShopWorld, type ShopWorld } from './shop-world.ts';
import { plantWallet } from './signed-in.ts';

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
}

function listed(): readonly Listed[] {
  const [version = ''] = world.versions;
  const [run, other] = world.runs;
  return [
    { name: 'leaderboard', path: '/', shows: 'table tbody tr' },
    { name: 'race-board', path: '/?board=race', shows: 'table tbody tr' },
    { name: 'version', path: `/app/versions/${version}`, shows: '.heat .cell' },
    { name: 'waiting', path: `/app/versions/${world.waitingVersion}`, shows: '.timeline li' },
    { name: 'failed', path: `/app/versions/${world.failedVersion}`, shows: '.timeline li' },
    { name: 'race', path: '/app/races', shows: 'progress' },
    { name: 'race-done', path: `/app/races/${world.doneRaceId}`, shows: '.plot circle' },
    { name: 'run', path: `/app/runs/${run}`, shows: 'table tbody tr' },
    {
      name: 'runs',
      path: `/app/runs/${run}?with=${other}&task=task-001`,
      shows: '.record >> nth=9',
    },
    { name: 'emissions', path: '/app/emissions', shows: '.reign' },
    { name: 'validators', path: '/app/validators', shows: 'table tbody tr' },
    { name: 'episodes', path: '/app/episodes', shows: 'input[type=file]' },
    { name: 'account', path: '/app/account', shows: '.empty' },
    { name: 'operator', path: '/app/operator', shows: 'input[type=password]' },
    { name: 'not-found', path: '/app/nowhere', shows: 'h1' },
  ];
}

/** Its events come in; after a refusal it waits up to half a minute. */
function live(page: Page): Promise<void> {
  return page.locator('.light.live').waitFor({ timeout: 60_000 });
}

/** A fresh page, and what it complained of. */
async function opened(t: ExecutionContext, address: string, by = browser) {
  const page = await by.newPage();
  t.teardown(() => page.close());
  const complaints = complaintsOf(page);
  // One behind another is hidden, and holds no stream of events.
  await page.bringToFront();
  await page.goto(address);
  return { page, complaints };
}

/** Another look is no other structure: only what it can change is looked at once more. */
const looks: readonly (Look & { readonly name: string; readonly rules?: readonly string[] })[] = [
  { name: 'light' },
  { name: 'dark', colorScheme: 'dark', rules: ['color-contrast'] },
  { name: 'narrow', width: 390, rules: ['scrollable-region-focusable', 'target-size'] },
];

for (const { name: look, rules, ...given } of looks) {
  test.serial(`every page shows its data without a complaint or a barrier: ${look}`, async (t) => {
    await using own = await openBrowser(given);
    for (const { name, path, shows } of listed()) {
      const { page, complaints } = await opened(t, world.service.baseUrl + path, own);
      await page.locator(shows).first().waitFor({ state: 'attached' });
      await page.locator('.loading').first().waitFor({ state: 'detached' });
      // An address that is not there is answered 404, of which browsers tell.
      const isToldOf = (text: string) => name === 'not-found' && text.includes('404');
      t.deepEqual(
        complaints.filter((text) => !isToldOf(text)),
        [],
        name,
      );
      t.deepEqual(await barriers(page, rules), [], name);
      const width = await page.evaluate('document.documentElement.scrollWidth');
      t.is(width, given.width ?? 1280, `${name} is as wide as the screen`);
      await keepShot(page, `${look}-${name}`);
      await page.close();
    }
  });
}

test.serial('what names nothing is told as that', async (t) => {
  const id = '00000000-0000-4000-8000-000000000000';
  for (const path of [`/app/versions/${id}`, `/app/runs/${id}`, `/app/races/${id}`]) {
    const { page } = await opened(t, world.service.baseUrl + path);
    const text = await page.getByRole('alert').first().textContent();
    t.true(text?.includes('There is nothing at this address.'), path);
    await page.close();
  }
});

/** It runs in no later race, whose results would be sealed and take the place of those that are not. */
async function eliminatedVersion(): Promise<string> {
  for (const version of world.versions) {
    const path = `/v1/public/agent-versions/${version}/problems`;
    const told = await okBody<ProblemProgress>(await world.service.call('GET', path));
    const shown = told.generated_results.filter(({ items }) => items.items.length > 0);
    if (shown.length > 2) return version;
  }
  throw new Error('the race eliminates one of four');
}

test.serial('the tasks of a version are compared within qualifying or one race', async (t) => {
  const version = await eliminatedVersion();
  const { page, complaints } = await opened(t, `${world.service.baseUrl}/app/versions/${version}`);
  const rows = page.locator('.heat tbody tr');
  await rows.nth(3).waitFor();
  t.is(await rows.count(), 4, 'both judges in qualifying, and both in the race');
  const race = `race ${world.doneRaceId.slice(0, 8)}`;
  for (const part of ['qualifying', race]) {
    await page.getByLabel('Results of').selectOption(part);
    await rows.nth(2).waitFor({ state: 'detached' });
    t.is(await rows.count(), 2, part);
    await page.getByLabel('Results of').selectOption('all runs');
    await rows.nth(3).waitFor();
  }
  t.deepEqual(complaints, []);
});

test.serial('texts of agents and validators are texts, whatever they spell', async (t) => {
  const { page, complaints } = await opened(
    t,
    `${world.service.baseUrl}/app/versions/${world.failedVersion}`,
  );
  await page.getByText(hostileText).first().waitFor();
  t.is(await page.locator('img').count(), 0);
  t.regex(await page.title(), /^broken v1/);
  t.deepEqual(complaints, []);
});

test.serial('by keyboard alone a version is found and opened', async (t) => {
  const { page } = await opened(t, world.service.baseUrl);
  await page.locator('tbody tr >> nth=3').waitFor();
  await page.keyboard.press('Tab');
  t.is(await page.evaluate('document.activeElement.textContent'), 'Skip to the content');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await page.keyboard.type('careful');
  await page.locator('tbody tr >> nth=1').waitFor({ state: 'detached' });
  t.true(page.url().endsWith('/?q=careful'));
  // Both boards, the table that scrolls, the version.
  for (let step = 0; step < 4; step++) await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/app/versions/${world.versions[1]}`);
  await page.locator('h1', { hasText: 'careful-buyer' }).waitFor();
  t.is(await page.evaluate('document.activeElement.id'), 'main', 'what is new is read out');
  await page.goBack();
  await page.locator('tbody tr >> nth=0').waitFor();
});

test.serial('an own file is opened without leaving the browser', async (t) => {
  const { page } = await opened(t, `${world.service.baseUrl}/app/episodes`);
  const text = JSON.stringify({
    task_id: 'a',
    steps: [{ tool: 'search' }, { tool: 'buy', ok: false }],
  });
  // The stream of events is asked for once the page is there.
  await live(page);
  const sent: string[] = [];
  page.on('request', (request) => sent.push(request.url()));
  const file = { name: 'own.json', mimeType: 'application/json', buffer: Buffer.from(text) };
  await page.locator('input[type=file] >> nth=0').setInputFiles(file);
  await page.locator('.viewer[data-state=whole]').waitFor();
  const rows = await page.locator('.record').allTextContents();
  t.deepEqual(
    rows.map((row) => row.replace(/[{"].*$/, '')),
    ['1task_id', '2search', '3ok is falsebuy'],
  );
  t.deepEqual(sent, []);
});

test.serial('an episode comes through the service where the store lets no page in', async (t) => {
  const [run] = world.runs;
  const page = await browser.newPage();
  t.teardown(() => page.close());
  await page.route(`${world.service.objects.url}/**`, (route) => route.abort());
  await page.goto(`${world.service.baseUrl}/app/runs/${run}?task=task-001`);
  await page.locator('.viewer[data-state=whole] .record >> nth=5').waitFor();
  const told = await page.locator('.viewer').getByRole('status').textContent();
  t.regex(told ?? '', /^\d+ records, 64\.\d KiB/);
});

test.serial('what happens is shown without a reload, also after it was hidden', async (t) => {
  const page = await browser.newPage();
  t.teardown(() => page.close());
  const complaints = complaintsOf(page);
  await page.addInitScript(`window.heard = 0;
    const Real = EventSource;
    window.EventSource = class extends Real {
      addEventListener(type, call) {
        super.addEventListener(type, (event) => {
          if (type !== 'heartbeat') window.heard += 1;
          call(event);
        });
      }
    };`);
  await page.bringToFront();
  await page.goto(`${world.service.baseUrl}/app/validators`);
  await live(page);
  await submit(await world.service.miner('a live miner'), { name: 'just-submitted' });
  await page.getByText('just-submitted').waitFor();
  // What is asked at the stream's beginning may show it before the event has come.
  await until(() => page.evaluate('window.heard > 0'));
  t.deepEqual(complaints, []);

  // A page that nobody sees gives its stream back, and takes it up after the last event it saw.
  const hide = (isHidden: boolean) =>
    page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));`);
  await hide(true);
  await submit(await world.service.miner('a missed miner'), { name: 'missed-meanwhile' });
  const resumed = page.waitForRequest((request) => request.url().includes('/events?cursor='));
  await hide(false);
  t.regex((await resumed).url(), /cursor=[1-9]\d*$/);
  await page.getByText('missed-meanwhile').waitFor();
});

test.serial('a stream that opens before the page is drawn is told as open', async (t) => {
  const page = await browser.newPage();
  t.teardown(() => page.close());
  await page.addInitScript(`const Real = EventSource;
    window.EventSource = class extends Real { set onopen(call) { queueMicrotask(call); } };`);
  await page.goto(`${world.service.baseUrl}/app/validators`);
  await page.locator('.light.live').waitFor();
  t.is(await page.locator('.light').textContent(), 'Live');
});

test.serial('what happened before the stream began is shown too', async (t) => {
  const page = await browser.newPage();
  t.teardown(() => page.close());
  const held = Promise.withResolvers<void>();
  await page.route('**/v1/public/events*', async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.goto(`${world.service.baseUrl}/app/validators`);
  await page.getByRole('row').nth(1).waitFor();
  await page.locator('.loading').first().waitFor({ state: 'detached' });
  await submit(await world.service.miner('an early miner'), { name: 'before-the-stream' });
  held.resolve();
  const row = page.getByRole('row', { name: 'before-the-stream' });
  await row.waitFor();
  t.is(await row.count(), 1);
});

test.serial(
  'an answer that takes longer than changes are apart is shown all the same',
  async (t) => {
    const page = await browser.newPage();
    t.teardown(() => page.close());
    let asked = 0;
    await page.route('**/v1/public/evaluations/pending*', async (route) => {
      asked += 1;
      // The first one is out while the stream begins and things happen.
      if (asked === 1) await late.promise;
      await route.continue().catch(() => undefined);
    });
    const late = Promise.withResolvers<void>();
    await page.goto(`${world.service.baseUrl}/app/validators`);
    await live(page);
    await submit(await world.service.miner('a hasty miner'), { name: 'while-it-loads' });
    // As long as it takes until a change asks again.
    await page.waitForTimeout(5_000);
    t.is(asked, 1);
    late.resolve();
    await page.getByRole('row', { name: 'while-it-loads' }).waitFor();
  },
);

test.serial('a wallet signs its owner in, who chooses what races', async (t) => {
  const page = await browser.newPage();
  t.teardown(() => page.close());
  await plantWallet(page, world.miner);
  const complaints = complaintsOf(page);
  await page.goto(`${world.service.baseUrl}/app/account`);
  await page.getByRole('button', { name: 'Use test-wallet' }).click();
  await page.getByRole('button', { name: 'Sign in as mine' }).waitFor();
  t.is(await page.locator('.choices button').count(), 1);
  await page.getByRole('button', { name: 'Sign in as mine' }).click();

  await page.getByText('quick-shopper v1').waitFor();
  t.deepEqual(await barriers(page), []);
  await keepShot(page, 'light-signed-in');
  t.is(
    await page.evaluate('localStorage.length + sessionStorage.length + document.cookie.length'),
    0,
  );
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Use test-wallet' }).waitFor();
  t.deepEqual(complaints, []);
});

test.serial(
  'an operator sees what runs where, and has runs judged again after a look',
  async (t) => {
    const { page } = await opened(t, `${world.service.baseUrl}/app/operator`);
    const token = page.getByLabel('Operator’s token');
    await token.fill('x'.repeat(40));
    await page.getByRole('button', { name: 'Open' }).click();
    t.regex((await page.getByRole('alert').textContent()) ?? '', /This is not open to you/);
    const complaints = complaintsOf(page);
    await token.fill(world.service.operatorToken);
    await page.getByRole('button', { name: 'Open' }).click();

    for (const [view, shows] of [
      ['Overview', '.facts dd'],
      ['Partitions', 'tbody tr >> nth=20'],
      ['Stuck', '.empty'],
      ['Audit log', 'tbody tr >> nth=3'],
      ['Rejudging', 'summary'],
    ] as const) {
      await page.getByRole('button', { name: view, exact: true }).click();
      await page.locator(shows).first().waitFor();
      t.deepEqual(await barriers(page), [], view);
      await keepShot(page, `light-operator-${view.toLowerCase().replace(' ', '-')}`);
    }
    await page.getByText('Have runs judged again').click();
    await page.getByLabel('Agent version’s id').fill(world.versions[0] ?? '');
    await page.getByLabel('Phase').selectOption('QUALIFYING');
    await page.getByLabel('Reason', { exact: true }).fill('a look');
    await page.getByRole('button', { name: 'Select and judge again' }).click();
    await page.getByText('0 of 2 runs are judged').waitFor();
    t.true(await page.getByRole('button', { name: 'Apply' }).isDisabled(), 'nothing is judged yet');
    t.deepEqual(await barriers(page), []);
    await keepShot(page, 'light-operator-preview');
    await page.getByLabel('Reason (needed to drop it)').fill('only a look');
    await page.getByRole('button', { name: 'Drop' }).click();
    await page.getByText('It ended: only a look').waitFor();
    t.is(
      await page.evaluate('localStorage.length + sessionStorage.length + document.cookie.length'),
      0,
    );
    t.deepEqual(complaints, []);
    await page.reload();
    await token.waitFor();
  },
);
