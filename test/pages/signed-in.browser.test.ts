/** What only operators and miners see, in a real Chromium: in the dark, on a small screen, by keyboard alone. */
import test, { type ExecutionContext } from 'ava';
import type { BrowserContext, Page } from 'playwright-core';
import { submit } from '../support/evaluation-client.ts';
import { okBody } from '../support/trial-suite.ts';
import { barriers, complaintsOf, keepShot, type Look, openBrowser } from './browser.ts';
import { openShopWorld, type ShopWorld } from './shop-world.ts';
import { chooseView, plantWallet, signInAsOperator, signInByWallet } from './signed-in.ts';

const narrowPx = 360;

let world: ShopWorld;
let rejudging: string;

test.before(async () => {
  world = await openShopWorld();
  const body = { agent_version_id: world.versions[0], phase: 'QUALIFYING', reason: 'a look' };
  const made = await world.service.operator('POST', '/v1/admin/rejudgings', { body });
  rejudging = (await okBody<{ rejudging_id: string }>(made)).rejudging_id.slice(0, 8);
});
test.after.always(() => world?.service.stop());

/** Each view, and what is there only once its data is. */
const views: readonly (readonly [name: string, shows: string])[] = [
  ['Overview', '.facts dd'],
  ['Queue', 'tbody tr'],
  ['Partitions', 'tbody tr >> nth=20'],
  ['Stuck', '.empty'],
  ['Rejudging', 'tbody tr'],
  ['Traces', '.notice'],
  ['Audit log', 'tbody tr >> nth=3'],
];

async function opened(t: ExecutionContext, browser: BrowserContext) {
  const page = await browser.newPage();
  t.teardown(() => page.close());
  await page.bringToFront();
  return { page, complaints: complaintsOf(page) };
}

/** All views of the operator one after the other, a rejudging, and the account. */
async function* everythingSignedIn(t: ExecutionContext, browser: BrowserContext) {
  const { page, complaints } = await opened(t, browser);
  await signInAsOperator(page, world.service);
  for (const [name, shows] of views) {
    await chooseView(page, name);
    await page.locator(shows).first().waitFor();
    yield { name: `operator-${name.toLowerCase().replace(' ', '-')}`, page };
  }
  await chooseView(page, 'Rejudging');
  await page.getByText('Have runs judged again').click();
  await page.getByRole('button', { name: rejudging }).click();
  await page.getByText('0 of 2 runs are judged').waitFor();
  yield { name: 'operator-rejudging-one', page };
  t.deepEqual(complaints, []);
  const account = await opened(t, browser);
  await plantWallet(account.page, world.miner);
  await signInByWallet(account.page, world.service.baseUrl);
  await account.page.getByText('quick-shopper v1').waitFor();
  yield { name: 'account', page: account.page };
  t.deepEqual(account.complaints, []);
}

/** Another look is no other structure: only what it can change is looked at. */
const looks: readonly (Look & { readonly name: string; readonly rules: readonly string[] })[] = [
  { name: 'dark', colorScheme: 'dark', rules: ['color-contrast'] },
  { name: 'narrow', width: narrowPx, rules: ['scrollable-region-focusable', 'target-size'] },
];

for (const { name: look, rules, ...given } of looks) {
  test.serial(`who is signed in meets no barrier: ${look}`, async (t) => {
    await using browser = await openBrowser(given);
    for await (const { name, page } of everythingSignedIn(t, browser)) {
      t.deepEqual(await barriers(page, rules), [], name);
      const width = await page.evaluate('document.documentElement.scrollWidth');
      t.is(width, given.width ?? 1280, `${name} is as wide as the screen`);
      await keepShot(page, `${look}-${name}`);
    }
  });
}

/** Where the focus is: what has it, whether that is seen, and whether it is where the reader looks. */
const focusText = `(() => {
  const { activeElement: at } = document;
  if (at === document.body) return { name: 'nothing' };
  const { outlineStyle, outlineWidth } = getComputedStyle(at);
  const { top, bottom, width } = at.getBoundingClientRect();
  return {
    name: (at.getAttribute('aria-label') ?? at.textContent ?? '').trim().slice(0, 40) || at.tagName,
    isMarked: at.matches(':focus-visible') && outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2,
    isInView: width > 0 && bottom > 0 && top < innerHeight,
  };
})()`;

interface Focus {
  readonly name: string;
  readonly isMarked?: boolean;
  readonly isInView?: boolean;
}

/** Tabs on until something with the name has the focus; every stop on the way is seen. */
async function tabTo(t: ExecutionContext, page: Page, wanted: string): Promise<void> {
  const passed: string[] = [];
  for (let step = 0; step < 200; step++) {
    await page.keyboard.press('Tab');
    const { name, isMarked, isInView } = (await page.evaluate(focusText)) as Focus;
    passed.push(name);
    // Beyond the last one the focus is the browser's own.
    if (name === 'nothing') continue;
    t.true(isMarked, `${name} shows that it has the focus`);
    t.true(isInView, `${name} is in view`);
    if (name.startsWith(wanted)) return;
  }
  t.fail(`${wanted} is not reached: ${passed.join(', ')}`);
}

test.serial('by keyboard alone an operator reaches every view and drops a rejudging', async (t) => {
  await using browser = await openBrowser();
  const { page, complaints } = await opened(t, browser);
  await page.goto(`${world.service.baseUrl}/app/operator`);
  await tabTo(t, page, 'INPUT');
  await page.keyboard.type(world.service.operatorToken);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Forget the token' }).waitFor();
  for (const [name, shows] of views) {
    await tabTo(t, page, name);
    await page.keyboard.press('Enter');
    await page.locator(shows).first().waitFor();
  }
  await tabTo(t, page, 'Rejudging');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: rejudging }).waitFor();
  await tabTo(t, page, rejudging);
  await page.keyboard.press('Enter');
  await page.getByText('0 of 2 runs are judged').waitFor();
  await tabTo(t, page, 'INPUT');
  await page.keyboard.type('only a look');
  await tabTo(t, page, 'Drop');
  await page.keyboard.press('Space');
  await page.getByText('It ended: only a look').waitFor();
  t.deepEqual(complaints, []);
});

test.serial('by keyboard alone a miner signs in, orders something and leaves', async (t) => {
  await using browser = await openBrowser();
  const { page, complaints } = await opened(t, browser);
  await plantWallet(page, world.miner);
  await page.goto(`${world.service.baseUrl}/app/account`);
  for (const name of ['Use test-wallet', 'Sign in as mine']) {
    await page.getByRole('button', { name }).waitFor();
    await tabTo(t, page, name);
    await page.keyboard.press('Enter');
  }
  await page.getByText('quick-shopper v1').waitFor();
  t.deepEqual(complaints, []);
  await tabTo(t, page, 'Unpin');
  await page.keyboard.press('Enter');
  // Its version races now, and what is refused is said aloud.
  await page.getByRole('alert').filter({ hasText: 'RACE_LOCKED' }).waitFor();
  await tabTo(t, page, 'Sign out');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Use test-wallet' }).waitFor();
});

test.serial('a miner is told which version races in the place of the latest one', async (t) => {
  const { service, miners, runningRaceId } = world;
  // Whom the race before eliminated is not in this one.
  const [racing] = await service.sql<{ id: string; name: string; hotkey: string }[]>`
    select v.agent_version_id as id, v.agent_name as name, v.miner_hotkey as hotkey
    from race_entrant e
    join agent_version v on v.agent_version_id = e.agent_version_id
    where e.race_id = ${runningRaceId} and v.miner_hotkey = any(${miners.map(({ hotkey }) => hotkey)})
    limit 1`;
  const miner = miners.find(({ hotkey }) => hotkey === racing?.hotkey);
  if (racing === undefined || miner === undefined) return t.fail('nobody races');
  await submit(miner, { name: racing.name });
  await using browser = await openBrowser();
  const { page, complaints } = await opened(t, browser);
  await plantWallet(page, miner);
  await signInByWallet(page, service.baseUrl);
  const row = page.getByRole('row').filter({ hasText: `${racing.name} v2` });
  await row.getByText('races in its place').waitFor();
  t.deepEqual(await barriers(page), []);
  await row.getByRole('link', { name: 'v1' }).click();
  await page.getByRole('heading', { name: racing.name }).waitFor();
  t.true(page.url().endsWith(`/app/versions/${racing.id}`), page.url());
  t.deepEqual(complaints, []);
});
