/**
 * Episodes of 100 MB in a real Chromium, as lines and as one object. What makes them open fast is told as
 * counts, and the time they take as the main thread's own, which a busy machine does not lengthen, and by how
 * slow the machine is.
 */
import test, { type ExecutionContext } from 'ava';
import type { BrowserContext } from 'playwright-core';
import { startTestService, type TestService } from '../support/edge.ts';
import { claim, complete, episodes, sendResults, submit } from '../support/evaluation-client.ts';
import { okBody, openTrialSuite } from '../support/trial-suite.ts';
import { complaintsOf, openBrowser } from './browser.ts';
import { countReading, mainThreadClock, slowness } from './counted-reading.ts';
import { episodeLines, stepsPerFailure, storeEpisode } from './stored-episode.ts';

const megabyte = 1024 * 1024;
const heldAfterBytes = megabyte / 4;
const [linesTask, objectTask] = ['task-000', 'task-001'];

let service: TestService;
let browser: BrowserContext & AsyncDisposable;
/** Of one version by two judges; the second one's episodes are short. */
let runs: readonly [string, string];

test.before(async () => {
  const env = { ARTIFACT_BYTES_MAX: String(128 * megabyte) };
  [service, browser] = await Promise.all([startTestService({ env }), openBrowser()]);
  const suite = await openTrialSuite(service, { taskCount: 2 });
  await submit(await service.miner('a shopper'), { name: 'long-winded' });
  const made: string[] = [];
  for (const [name, bytes] of [
    ['judge one', 100 * megabyte],
    ['judge two', megabyte],
  ] as const) {
    const judge = await service.validator(name);
    const { eval_run_id: id } = await claim(judge);
    const lines = episodeLines(bytes, judge.hotkey);
    const texts = [`${lines.join('\n')}\n`, objectOf(lines)];
    const ledgers: string[] = [];
    for (const text of texts) ledgers.push(await storeEpisode(judge, { id, suite, text }));
    await sendResults(
      judge,
      episodes(id, suite, (task) => ({ ledger_uri: ledgers[task] ?? null })),
    );
    const success = { terminal_status: 'SUCCESS', validator_score: 0.5 };
    await okBody(await complete(judge, id, success));
    made.push(id);
  }
  const [first = '', second = ''] = made;
  runs = [first, second];
});
test.after.always(async () => {
  await browser?.[Symbol.asyncDispose]();
  await service?.stop();
});

/** The other form of an episode: one object, whose steps are one list. */
function objectOf(steps: readonly string[]): string {
  return `{"task_id": "a", "steps": [${steps.join(',\n')}], "outcome": "passed"}`;
}

const pathOf = (task: string | undefined) => `/app/runs/${runs[0]}?task=${task}`;

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
      await page.goto(service.baseUrl + pathOf(task));
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

  test.serial(`100 MB as ${form} take the page less than 2 s of its own`, async (t) => {
    const factor = await slowness(await blank(t));
    const page = await blank(t);
    const spentMs = await mainThreadClock(page);
    const startedMs = performance.now();
    await page.goto(service.baseUrl + pathOf(task));
    await page.locator('.record >> nth=5').waitFor();
    const [shownMs, shownAfterMs] = [await spentMs(), performance.now() - startedMs];
    await page.locator('.viewer[data-state=whole]').waitFor();
    const [wholeMs, wholeAfterMs] = [await spentMs(), performance.now() - startedMs];
    const told = [shownMs, shownAfterMs, wholeMs, wholeAfterMs].map(Math.round);
    t.log(`shown: ${told[0]} ms, by the clock ${told[1]}; whole: ${told[2]}, ${told[3]}`);
    t.log(`a machine ${factor.toFixed(1)} times as slow as usual`);
    t.true(wholeMs < 2_000 * factor, `${wholeMs} ms`);
  });
}

test.serial('two episodes stand side by side, each with its own place', async (t) => {
  const page = await blank(t);
  const complaints = complaintsOf(page);
  await page.goto(`${service.baseUrl}${pathOf(linesTask)}&with=${runs[1]}`);
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
