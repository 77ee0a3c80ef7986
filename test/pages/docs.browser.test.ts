/** The page of the API in a real Chromium, filled with the description that a real edge serves. */
import test from 'ava';
import { startTestService, type TestService } from '../support/edge.ts';
import { barriers, complaintsOf, keepShot, openBrowser } from './browser.ts';

let service: TestService;
test.before(async () => {
  service = await startTestService();
});
test.after.always(() => service?.stop());

for (const colorScheme of ['light', 'dark'] as const) {
  test.serial(
    `every operation is there with a line to try it, by keyboard: ${colorScheme}`,
    async (t) => {
      await using browser = await openBrowser({ colorScheme });
      const page = await browser.newPage();
      const complaints = complaintsOf(page);
      await page.goto(`${service.baseUrl}/docs`);
      const operations = page.locator('main > details:not([id])');
      await operations.first().waitFor();

      const answer = await service.call('GET', '/openapi.json');
      const { paths } = (await answer.json()) as { paths: Record<string, object> };
      const count = Object.values(paths).flatMap((methods) => Object.keys(methods)).length;
      t.is(await operations.count(), count);
      t.is(await operations.locator('> pre', { hasText: 'curl ' }).count(), count);

      const path = page.locator('code', { hasText: /^\/v1\/auth\/challenge$/ });
      const challenge = operations.filter({ has: path });
      await challenge.locator('> summary').focus();
      await page.keyboard.press('Enter');
      const line = challenge.locator('> pre', { hasText: 'curl ' });
      await line.waitFor();
      t.regex(
        (await line.textContent()) ?? '',
        /^curl -X POST "\$PADDOCK_URL\/v1\/auth\/challenge"/,
      );
      await page.keyboard.press('Tab');
      t.is(await page.evaluate('document.activeElement.textContent'), await line.textContent());
      t.deepEqual(await barriers(page), []);
      t.deepEqual(complaints, []);
      await keepShot(page, `${colorScheme}-docs`);
    },
  );
}

test.serial(
  'while the description loads and where it cannot be had, the page says so',
  async (t) => {
    await using browser = await openBrowser();
    const page = await browser.newPage();
    const held = Promise.withResolvers<void>();
    await page.route('**/openapi.json', async (route) => {
      await held.promise;
      await route.fulfill({ status: 503, body: 'later' });
    });
    await page.goto(`${service.baseUrl}/docs`);
    t.is(await page.getByRole('status').textContent(), 'Loading …');
    held.resolve();
    await page.getByRole('alert').waitFor();
    t.regex(
      (await page.locator('main').textContent()) ?? '',
      /^Could not load the description: the service answered 503\. Load/,
    );
    t.deepEqual(await barriers(page), []);
  },
);
