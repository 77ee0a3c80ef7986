/** The split of past races in a real Chromium, read from bundles that a real store hands out. */
import test, { type ExecutionContext } from 'ava';
import type { BrowserContext, Page } from 'playwright-core';
import type { RaceDetails } from '../../apps/cli/client/schemas.generated.ts';
import { startTestService, type TestService } from '../support/edge.ts';
import { okBody } from '../support/trial-suite.ts';
import { until } from '../support/until.ts';
import { barriers, complaintsOf, keepShot, openBrowser } from './browser.ts';
import { openShopWorld, type ShopWorld } from './shop-world.ts';

let world: ShopWorld;
let empty: TestService;
let browser: BrowserContext & AsyncDisposable;

test.before(async () => {
  [world, empty, browser] = await Promise.all([openShopWorld(), startTestService(), openBrowser()]);
  const { service, doneRaceId } = world;
  await until(
    async () => (await service.call('GET', `/v1/public/races/${doneRaceId}/bundle`)).status === 200,
  );
});
test.after.always(async () => {
  await browser?.[Symbol.asyncDispose]();
  await Promise.all([world?.service.stop(), empty?.stop()]);
});

async function freshPage(t: ExecutionContext, by = browser): Promise<Page> {
  const page = await by.newPage();
  t.teardown(() => page.close());
  await page.bringToFront();
  return page;
}

const emissions = () => `${world.service.baseUrl}/app/emissions`;
const days = (page: Page) => page.getByRole('region', { name: 'How each race was split' });

/** Which version a validator's next claim is of is chance; the public result says it. */
async function namesByRank(): Promise<readonly string[]> {
  const answer = await world.service.call('GET', `/v1/public/races/${world.doneRaceId}`);
  const { qualifiers } = await okBody<RaceDetails>(answer);
  return qualifiers.map(({ agent_name: name }) => `${name} v1`);
}

const cellsOf = async (page: Page, row: RegExp) =>
  await page.getByRole('row', { name: row }).locator('td').allTextContents();

for (const colorScheme of ['light', 'dark'] as const) {
  test.serial(
    `each race shows who got how much of it, drawn and told: ${colorScheme}`,
    async (t) => {
      await using own = await openBrowser({ colorScheme });
      const page = await freshPage(t, own);
      const complaints = complaintsOf(page);
      await page.goto(emissions());
      await days(page).locator('.day rect').nth(2).waitFor({ state: 'attached' });
      await days(page).locator('figure').nth(1).waitFor();
      for (const summary of await days(page).locator('summary').all()) await summary.click();

      const layers = await days(page).locator('.day title').allTextContents();
      t.deepEqual(layers, [
        'Race 1, The top: 75.00 %',
        'Race 1, Survivors: 0.00 %',
        'Race 1, Burned: 25.00 %',
      ]);
      t.deepEqual((await cellsOf(page, /^Race 1 /)).slice(1), ['75.00 %', '0.00 %', '25.00 %']);
      const paid = await days(page).locator('figure >> nth=1').locator('tbody tr').all();
      const rows = await Promise.all(paid.map((row) => row.locator('th, td').allTextContents()));
      const [first, second, third, fourth] = await namesByRank();
      t.deepEqual(
        rows.map(([name, , ...rest]) => [name, ...rest]),
        [
          [first, '1', '0.7850', 'top', '75.0000 %'],
          [second, '2', '0.6850', 'survivor', '0.0023 %'],
          [third, '3', '0.5850', 'survivor', '0.0011 %'],
          [fourth, '4', '0.4850', 'eliminated', '0.0000 %'],
        ],
      );
      const bars = await days(page)
        .locator('figure >> nth=1')
        .locator('svg title')
        .allTextContents();
      t.deepEqual(bars, [`${second}: 0.0023 %`, `${third}: 0.0011 %`]);
      t.deepEqual(complaints, []);
      t.deepEqual(
        await barriers(page, colorScheme === 'dark' ? ['color-contrast'] : undefined),
        [],
      );
      await keepShot(page, `${colorScheme}-emission-days`);
    },
  );
}

test.serial('a bundle that is still read, or cannot be, is said and asked for again', async (t) => {
  const page = await freshPage(t);
  await page.clock.install();
  const held = Promise.withResolvers<void>();
  let isBroken = true;
  await page.route('**/bundle', async (route) => {
    await held.promise;
    if (!isBroken) return await route.continue();
    const body = JSON.stringify({ detail: 'Too much at once.', error_code: 'OVERLOADED' });
    await route.fulfill({ status: 503, contentType: 'application/json', body });
  });
  await page.goto(emissions());
  await days(page).getByText('Reading the bundle of the race …').waitFor();
  t.deepEqual(await barriers(page), []);
  held.resolve();
  const alert = days(page).getByRole('alert');
  t.regex((await alert.textContent()) ?? '', /Could not load the bundle of race 1.*OVERLOADED/);
  t.deepEqual(await barriers(page), []);

  isBroken = false;
  await page.clock.fastForward('01:05');
  await days(page).locator('.day').waitFor({ state: 'attached' });
  t.is(await alert.count(), 0);
});

test.serial('a store that lets no page in is named as what does not answer', async (t) => {
  const page = await freshPage(t);
  await page.route(`${world.service.objects.url}/**`, (route) => route.abort());
  await page.goto(emissions());
  const alert = days(page).getByRole('alert');
  t.regex((await alert.textContent()) ?? '', /The store of the bundles does not answer this page/);
});

test.serial('a race whose detail is sealed is told as that, and not as a failure', async (t) => {
  const page = await freshPage(t);
  const body = JSON.stringify({ detail: 'Not released.', error_code: 'RACE_IN_FLIGHT' });
  await page.route('**/bundle', (route) =>
    route.fulfill({ status: 403, contentType: 'application/json', body }),
  );
  await page.goto(emissions());
  await days(page).getByText('Race 1 is over, but its detail is sealed').waitFor();
  t.is(await days(page).getByRole('alert').count(), 0);
  await days(page).locator('summary').click();
  t.deepEqual((await cellsOf(page, /^Race 1 /)).slice(1), Array(3).fill('not released yet'));
});

test.serial('before the first race the page says that none has paid', async (t) => {
  const page = await freshPage(t);
  await page.goto(`${empty.baseUrl}/app/emissions`);
  await days(page).getByText('No race has paid yet').waitFor();
  t.deepEqual(await barriers(page), []);
});
