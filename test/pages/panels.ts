import type { ExecutionContext } from 'ava';
import type { Page } from 'playwright-core';
import { barriers } from './browser.ts';

/** A part of a page that shows one answer of the service. */
export interface Panel {
  /** As the page says it: "Loading the leaderboard". */
  readonly what: string;
  /** The answer, as a pattern of addresses. */
  readonly api: string;
  /** Has the page show it; what is asked before that is answered. */
  readonly open: (page: Page) => Promise<unknown>;
  /** What has to be there before it can be opened. */
  readonly before?: (page: Page) => Promise<unknown>;
  /** Of no weight: nothing is drawn in its place while it loads. */
  readonly isQuiet?: boolean;
}

/** Holds its answer, lets it fail, and lets it come: each is told, and a retry mends the failure. */
export async function showsItsStates(
  t: ExecutionContext,
  page: Page,
  { what, api, open, before, isQuiet }: Panel,
): Promise<void> {
  await before?.(page);
  const held = Promise.withResolvers<void>();
  let isBroken = true;
  await page.route(`**${api}`, async (route) => {
    await held.promise;
    if (!isBroken) return await route.continue();
    const body = JSON.stringify({ detail: 'Too much at once.', error_code: 'OVERLOADED' });
    const headers = { 'retry-after': '60', 'content-type': 'application/json' };
    await route.fulfill({ status: 503, headers, body });
  });
  await open(page);

  const loading = page.locator('.loading').getByText(`Loading ${what} …`);
  if (isQuiet !== true) {
    await loading.waitFor();
    t.is(await loading.getAttribute('role'), 'status', `${what} is heard to load`);
  }
  held.resolve();
  const alert = page.getByRole('alert').filter({ hasText: `Could not load ${what}.` });
  await alert.waitFor();
  t.regex((await alert.textContent()) ?? '', /Too much at once\..*OVERLOADED/, what);
  isBroken = false;
  await alert.getByRole('button', { name: 'Try again now' }).click();
  await alert.waitFor({ state: 'detached' });
  await loading.waitFor({ state: 'detached' });
  t.is(await page.getByRole('alert').count(), 0, `${what} is there`);
}

/** The same for all answers of a page together, held to the rules of accessibility meanwhile. */
export async function statesAreAccessible(
  t: ExecutionContext,
  page: Page,
  open: (page: Page) => Promise<unknown>,
): Promise<void> {
  const held = Promise.withResolvers<void>();
  await page.route(/\/v1\/(?!public\/events)/, async (route) => {
    await held.promise;
    await route.fulfill({ status: 503, json: { detail: 'Too much.', error_code: 'OVERLOADED' } });
  });
  await open(page);
  await page.locator('.loading').first().waitFor();
  t.deepEqual(await barriers(page), []);
  held.resolve();
  await page.getByRole('alert').first().waitFor();
  t.deepEqual(await barriers(page), []);
}
