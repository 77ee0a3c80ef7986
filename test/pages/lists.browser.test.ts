/** Lists that are longer than what is drawn of them at once, in a real Chromium. */
import test, { type ExecutionContext } from 'ava';
import type { BrowserContext } from 'playwright-core';
import { startTestService, type TestService } from '../support/edge.ts';
import { claim, complete, episodes, sendResults, submit } from '../support/evaluation-client.ts';
import { okBody, openTrialSuite } from '../support/trial-suite.ts';
import { complaintsOf, openBrowser } from './browser.ts';
import { chooseView, signInAsOperator } from './signed-in.ts';

const taskCount = 205;
const waitingCount = 21;
const batchSize = 50;

let service: TestService;
let browser: BrowserContext & AsyncDisposable;
let run: string;

test.before(async () => {
  [service, browser] = await Promise.all([startTestService(), openBrowser()]);
  const suite = await openTrialSuite(service, { taskCount, requiredSuccesses: 1 });
  const judge = await service.validator('judge');
  await submit(await service.miner('first'), { name: 'first' });
  run = (await claim(judge)).eval_run_id;
  const results = episodes(run, suite);
  for (let from = 0; from < taskCount; from += batchSize) {
    await sendResults(judge, results.slice(from, from + batchSize));
  }
  const success = { terminal_status: 'SUCCESS', validator_score: 0.5 };
  await okBody(await complete(judge, run, success));
  for (let place = 1; place <= waitingCount; place++) {
    await submit(await service.miner(`waiting ${place}`), { name: `waiting ${place}` });
  }
});
test.after.always(async () => {
  await browser?.[Symbol.asyncDispose]();
  await service?.stop();
});

async function blank(t: ExecutionContext) {
  const page = await browser.newPage();
  t.teardown(() => page.close());
  return { page, complaints: complaintsOf(page) };
}

test.serial('of a run with many results the rest is shown when it is wished for', async (t) => {
  const { page, complaints } = await blank(t);
  await page.goto(`${service.baseUrl}/app/runs/${run}`);
  const rows = page.getByRole('table', { name: 'Results by task' }).locator('tbody tr');
  await rows.nth(199).waitFor();
  t.is(await rows.count(), 200);
  await page.getByRole('button', { name: 'Show more of 205' }).click();
  await rows.nth(204).waitFor();
  t.is(await page.getByRole('button', { name: 'Show more' }).count(), 0);
  t.deepEqual(complaints, []);
});

test.serial('the queue is gone through to its end, by operators on their page too', async (t) => {
  const { page, complaints } = await blank(t);
  const last = page.getByRole('row', { name: `waiting ${waitingCount}` });
  const rows = page.getByRole('table', { name: 'The next in the queue' }).locator('tbody tr');
  for (const open of [
    () => page.goto(`${service.baseUrl}/app/validators`),
    async () => {
      await signInAsOperator(page, service);
      await chooseView(page, 'Queue');
    },
  ]) {
    await open();
    await rows.nth(19).waitFor();
    t.is(await last.count(), 0);
    await page.getByRole('button', { name: 'After these' }).click();
    await last.waitFor();
    t.is(await rows.count(), 1);
    t.true(await page.getByRole('button', { name: 'After these' }).isDisabled());
    await page.getByRole('button', { name: 'Before these' }).click();
    await rows.nth(19).waitFor();
  }
  t.deepEqual(complaints, []);
});

test.serial(
  'what is searched for stands in the box, also when a link leads back to all',
  async (t) => {
    const { page, complaints } = await blank(t);
    const box = page.getByRole('searchbox');
    const only = page.getByRole('row', { name: 'first' });
    for (const name of ['Leaderboard', 'Paddock']) {
      await page.goto(`${service.baseUrl}/`);
      await only.waitFor();
      await box.fill('nobody');
      await only.waitFor({ state: 'detached' });
      t.is(await box.inputValue(), 'nobody');
      await page.getByRole('banner').getByRole('link', { name, exact: true }).click();
      await only.waitFor();
      t.is(await box.inputValue(), '', name);
    }
    await page.goBack();
    await only.waitFor({ state: 'detached' });
    t.is(await box.inputValue(), 'nobody');
    t.deepEqual(complaints, []);
  },
);
