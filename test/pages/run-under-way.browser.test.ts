/** What validators store of a run that is under way, in a real Chromium whose clock is the test's. */
import test from 'ava';
import type { BrowserContext } from 'playwright-core';
import { startTestService, type TestService } from '../support/edge.ts';
import { claim, episodes, sendResults, submit } from '../support/evaluation-client.ts';
import { openTrialSuite } from '../support/trial-suite.ts';
import { complaintsOf, openBrowser } from './browser.ts';

let service: TestService;
let browser: BrowserContext & AsyncDisposable;

test.before(async () => {
  [service, browser] = await Promise.all([startTestService(), openBrowser()]);
});
test.after.always(async () => {
  await browser?.[Symbol.asyncDispose]();
  await service?.stop();
});

test('the results of a run that is under way appear while it runs', async (t) => {
  const suite = await openTrialSuite(service, { requiredSuccesses: 1 });
  const judge = await service.validator('judge');
  const version = await submit(await service.miner('shopper'), { name: 'shopper' });
  const { eval_run_id: run } = await claim(judge);
  const [ofRun, ofVersion] = [await browser.newPage(), await browser.newPage()];
  const complaints = [ofRun, ofVersion].flatMap((page) => complaintsOf(page));
  for (const page of [ofRun, ofVersion]) await page.clock.install();
  await ofRun.goto(`${service.baseUrl}/app/runs/${run}`);
  await ofVersion.goto(`${service.baseUrl}/app/versions/${version.agent_version_id}`);
  await ofRun.getByText('0 of 3').waitFor();
  await ofVersion.getByText('No results yet.').waitFor();
  // What the stream's beginning has a page ask again is over.
  for (const page of [ofRun, ofVersion]) {
    await page.locator('.light.live').waitFor();
    await page.clock.fastForward(10_000);
  }

  await sendResults(judge, episodes(run, suite).slice(0, 1));
  for (const page of [ofRun, ofVersion]) {
    await page.bringToFront();
    await page.clock.fastForward(20_000);
  }
  await ofRun.getByText('1 of 3').waitFor();
  await ofVersion.locator('.heat .cell').first().waitFor();
  t.deepEqual(complaints, []);
});
