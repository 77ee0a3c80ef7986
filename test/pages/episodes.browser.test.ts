/**
 * Episodes of 100 MB in a real Chromium, as lines and as one object. What makes them open fast is told as
 * counts; `npm run bench:pages` measures the time.
 */
import test, { type ExecutionContext } from 'ava';
import type { BrowserContext } from 'playwright-core';
import { startTestService, type TestService } from '../support/edge.ts';
import { complaintsOf, openBrowser } from './browser.ts';
import { countReading } from './counted-reading.ts';
import {
  type LongEpisodes,
  linesTask,
  longEpisodesEnv,
  megabyte,
  objectTask,
  playLongEpisodes,
} from './long-episodes.ts';
import { stepsPerFailure } from './stored-episode.ts';

const heldAfterBytes = megabyte / 4;

let service: TestService;
let world: LongEpisodes;
let browser: BrowserContext & AsyncDisposable;

test.before(async () => {
  [service, browser] = await Promise.all([
    startTestService({ env: longEpisodesEnv }),
    openBrowser(),
  ]);
  world = await playLongEpisodes(service);
});
test.after.always(async () => {
  await browser?.[Symbol.asyncDispose]();
  await service?.stop();
});

async function blank(t: ExecutionContext) {
  const page = await browser.newPage();
  t.teardown(() => page.close());
  return page;
}

for (const [form, task, before] of [
  ['lines', linesTask, 0],
  ['one object', objectTask, 1],
] as const) {
  test.serial(
    `of 100 MB as ${form} a quarter of one is enough to begin, and little is ever parsed`,
    async (t) => {
      const page = await blank(t);
      const { counts, letOn } = await countReading(page, heldAfterBytes);
      await page.goto(service.baseUrl + world.pathOf(task));
      await page.locator('.viewer[data-state=reading] .record >> nth=5').waitFor();
      const atFirst = await counts();
      t.true(atFirst.readBytes <= heldAfterBytes, `${atFirst.readBytes} bytes`);

      await letOn();
      await page.locator('.viewer[data-state=whole]').waitFor();
      const whole = await counts();
      t.true(whole.readBytes > 100 * megabyte, `${whole.readBytes} bytes`);
      t.true(whole.parsedMax < 16 * 1024, `${whole.parsedMax} characters at once`);
      t.true(whole.parsed < megabyte, `${whole.parsed} characters`);

      await page.getByRole('listbox').focus();
      await page.keyboard.press('End');
      const count = Number(await page.locator('.record').first().getAttribute('aria-setsize'));
      await page.locator(`[aria-selected=true][aria-posinset="${count}"]`).waitFor();
      t.true(count > 90_000, `${count} records`);
      t.true((await page.locator('.record').count()) < 30, 'only what is in view is drawn');
      // The rows in view are read once for each time that they are drawn.
      const { decodedBytes } = await counts();
      t.true(decodedBytes < 10 * megabyte, `${decodedBytes} bytes became text`);
      await page.keyboard.press('Home');
      await page.getByRole('button', { name: 'Next failure' }).click();
      const failed = stepsPerFailure + 1 + before;
      await page.locator(`[aria-posinset="${failed}"][aria-selected=true]`).waitFor();
      t.true((await page.locator('.detail').textContent())?.includes('the search timed out'));
    },
  );
}

test.serial('two episodes stand side by side, each with its own place', async (t) => {
  const page = await blank(t);
  const complaints = complaintsOf(page);
  await page.goto(`${service.baseUrl}${world.pathOf(linesTask)}&with=${world.runs[1]}`);
  const [first, second] = [page.locator('.viewer >> nth=0'), page.locator('.viewer >> nth=1')];
  await page.locator('.viewer[data-state=whole] >> nth=1').waitFor();
  const told = (await first.getByRole('status').textContent()) ?? '';
  t.regex(told, /^\d{2,3},\d{3} records, 100\.0 MiB/);
  t.true((await page.locator('.record').count()) < 60, 'only what is in view is drawn');
  await first.getByRole('button', { name: 'Next failure' }).click();
  await first.locator(`[aria-posinset="${stepsPerFailure + 1}"][aria-selected=true]`).waitFor();
  t.is(await second.locator('[aria-selected=true]').getAttribute('aria-posinset'), '1');
  t.deepEqual(complaints, []);
});
