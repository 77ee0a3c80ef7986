/**
 * Pages in a real Chromium that show what happens at the service by its stream of events alone: what they would
 * ask again by the clock is taken from them.
 */
import test, { type ExecutionContext } from 'ava';
import type { BrowserContext, Page } from 'playwright-core';
import { beginBranch } from '../../actors/services/projector/store.ts';
import { transaction } from '../../infra/postgres/transaction.ts';
import { startTestService, type TestService } from '../support/edge.ts';
import type { TestKey } from '../support/edge-client.ts';
import { claim, complete, episodes, sendResults, submit } from '../support/evaluation-client.ts';
import { okBody, openTrialSuite, type TrialSuite } from '../support/trial-suite.ts';
import { until } from '../support/until.ts';
import { complaintsOf, openBrowser } from './browser.ts';
import { currentRaceId, judgeOne } from './shop-world.ts';

let service: TestService;
let suite: TrialSuite;
let judge: TestKey;
let browser: BrowserContext & AsyncDisposable;

test.before(async () => {
  const env = { COOLDOWN_SECONDS: '0', REQUIRED_SUCCESSES_RACE: '1' };
  [service, browser] = await Promise.all([startTestService({ env }), openBrowser()]);
  suite = await openTrialSuite(service, { requiredSuccesses: 1 });
  judge = await service.validator('judge');
});
test.after.always(async () => {
  await browser?.[Symbol.asyncDispose]();
  await service?.stop();
});

const submitted = async (name: string) =>
  (await submit(await service.miner(name), { name })).agent_version_id;

async function finish(id: string): Promise<void> {
  await sendResults(
    judge,
    episodes(id, suite, () => ({ aggregate_reward: '0.6' })),
  );
  const success = { terminal_status: 'SUCCESS', validator_score: 0.6 };
  await okBody(await complete(judge, id, success));
}

/** Its stream has begun, and what it shows first is there. */
async function opened(t: ExecutionContext, path: string, prepare?: (page: Page) => Promise<void>) {
  const page = await browser.newPage();
  t.teardown(() => page.close());
  const complaints = complaintsOf(page);
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.addInitScript('window.setInterval = () => 0;');
  await prepare?.(page);
  await page.bringToFront();
  await page.goto(service.baseUrl + path);
  await page.locator('.light.live').waitFor({ timeout: 60_000 });
  await page.locator('.loading').first().waitFor({ state: 'detached' });
  return { page, complaints, requests };
}

test.serial('the leaderboard gains a version as soon as it is eligible', async (t) => {
  const { page, complaints } = await opened(t, '/');
  await page.getByText('No version is eligible yet.').waitFor();

  await submitted('newcomer');
  await finish((await claim(judge)).eval_run_id);
  await page.getByRole('row', { name: 'newcomer' }).waitFor();
  t.deepEqual(complaints, []);
});

test.serial('a version is followed from the queue to its score', async (t) => {
  const version = await submitted('followed');
  const { page, complaints } = await opened(t, `/app/versions/${version}`);
  await page.getByText('It waits in the queue at position 1.').waitFor();

  const { eval_run_id: run } = await claim(judge);
  await page.getByText('Validators evaluate it: 0 of 1 successful runs are in').waitFor();
  await page.getByRole('row', { name: run.slice(0, 8) }).waitFor();
  await finish(run);
  await page.getByText('It is eligible').waitFor();
  await page.locator('.heat .cell').first().waitFor();
  await page
    .getByRole('row', { name: run.slice(0, 8) })
    .getByText('0.6000')
    .waitFor();
  t.deepEqual(complaints, []);
});

test.serial('a run shows its results when it has ended', async (t) => {
  await submitted('watched');
  const { eval_run_id: run } = await claim(judge);
  const { page, complaints } = await opened(t, `/app/runs/${run}`);
  await page.getByText('No results are stored yet.').waitFor();

  await finish(run);
  await page.locator('h1', { hasText: 'success' }).waitFor();
  await page.getByText('3 of 3').waitFor();
  await page.getByRole('table', { name: 'Results by task' }).waitFor();
  t.deepEqual(complaints, []);
});

test.serial('a race gains who qualifies, starts, and is followed by the next', async (t) => {
  const { page, complaints } = await opened(t, '/app/races');
  const field = page.getByRole('table', { name: 'Versions of the field' });
  await field.getByRole('row', { name: 'watched' }).waitFor();

  await submitted('last one in');
  await finish((await claim(judge)).eval_run_id);
  await field.getByRole('row', { name: 'last one in' }).waitFor();
  const raceId = await currentRaceId(service);
  await okBody(await service.operator('POST', `/v1/admin/races/${raceId}/start`));
  await page.getByText('0 of 4 are evaluated').waitFor();
  // How the runs of a race end is told by no event before its release: the next one is when it is over.
  for (const reward of [0.9, 0.8, 0.7, 0.6]) await judgeOne(judge, suite, reward);
  await page.locator('h1', { hasText: 'Race 2' }).waitFor();
  const past = page.getByRole('table', { name: 'Completed and cancelled races' });
  await past.getByRole('row', { name: 'Race 1' }).waitFor();
  t.deepEqual(complaints, []);
});

// As nginx does, it heeds no wish of the browser's; the repeat comes 12 s after the last event's question.
test.serial('behind a cache what changed is shown once its copy is old', async (t) => {
  const { page, complaints } = await opened(t, '/');
  const body = await (
    await service.call('GET', '/v1/public/leaderboard?limit=50&offset=0&score_type=qualifying')
  ).text();
  let lastAskedMs = performance.now();
  const given = { copies: 0, fresh: 0 };
  await page.route('**/v1/public/leaderboard*', async (route) => {
    const isCopy = performance.now() - lastAskedMs < 10_000;
    lastAskedMs = performance.now();
    given[isCopy ? 'copies' : 'fresh'] += 1;
    if (!isCopy) return await route.continue();
    await route.fulfill({ body, headers: { age: '3', 'content-type': 'application/json' } });
  });

  await submitted('behind a cache');
  await finish((await claim(judge)).eval_run_id);
  await page.getByRole('row', { name: 'behind a cache' }).waitFor();
  t.true(given.copies > 0);
  t.true(given.fresh > 0);
  t.deepEqual(complaints, []);
});

const isBoard = (url: string) => url.includes('/public/leaderboard');

// Last, for it spoils the numbers of the feed.
test.serial('what is shown is asked for again once the service went back', async (t) => {
  const isAsked = Promise.withResolvers<void>();
  const { page, complaints, requests } = await opened(t, '/', async (page) => {
    page.on('request', (request) => isBoard(request.url()) && isAsked.resolve());
    // A slow page first asks when its stream has begun: then nothing may have been missed.
    await page.route('**/v1/public/events*', async (route) => {
      await isAsked.promise;
      await route.continue();
    });
  });
  const asked = () => requests.filter(isBoard).length;
  // Before the stream had begun, and once more after it; once more yet where it had to begin again.
  await until(() => asked() >= 2);
  const before = asked();

  await transaction(service.sql, {}, (tx) => beginBranch(tx, 1));
  await until(() => asked() > before);
  await page.getByText('The service went back to an earlier state.').waitFor();
  t.deepEqual(complaints, []);
});
