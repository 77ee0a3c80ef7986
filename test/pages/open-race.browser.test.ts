/** One race in a real Chromium, from its countdown to its end, by the service's simulated clock. */
import test, { type ExecutionContext } from 'ava';
import type { BrowserContext, Page } from 'playwright-core';
import { countdownText } from '../../apps/dashboard/browser/format.ts';
import { startTestService, type TestService } from '../support/edge.ts';
import type { TestKey } from '../support/edge-client.ts';
import { evaluate, submit } from '../support/evaluation-client.ts';
import { okBody, openTrialSuite, type TrialSuite } from '../support/trial-suite.ts';
import { barriers, complaintsOf, keepShot, openBrowser } from './browser.ts';
import { currentRaceId, judgeOne } from './shop-world.ts';

let service: TestService;
let suite: TrialSuite;
let judge: TestKey;
let raceId: string;
let browser: BrowserContext & AsyncDisposable;

test.before(async () => {
  const env = { CLOCK: 'simulated', COOLDOWN_SECONDS: '0', REQUIRED_SUCCESSES_RACE: '1' };
  [service, browser] = await Promise.all([startTestService({ env }), openBrowser()]);
  suite = await openTrialSuite(service, { requiredSuccesses: 1 });
  judge = await service.validator('judge');
  for (const [name, reward] of [
    ['first', '0.9'],
    ['second', '0.8'],
  ] as const) {
    await submit(await service.miner(name), { name });
    await evaluate(judge, suite, reward);
  }
  raceId = await currentRaceId(service);
});
test.after.always(async () => {
  await browser?.[Symbol.asyncDispose]();
  await service?.stop();
});

const order = async (what: string, id: string, body?: object) =>
  await okBody(await service.operator('POST', `/v1/admin/races/${id}/${what}`, { body }));

/** A closed race starts in the same breath; this way it stays closed until the answer is called. */
async function holdUpStart(): Promise<() => Promise<void>> {
  await service.sql.unsafe(`
    create or replace function not_yet() returns trigger language plpgsql as $$ begin
      raise exception 'not yet';
    end $$;
    create trigger not_yet before update on race for each row
      when (new.status = 'RACE_RUNNING') execute function not_yet();`);
  return async () => {
    await service.sql.unsafe('drop trigger not_yet on race');
  };
}

async function opened(t: ExecutionContext, path: string) {
  const page = await browser.newPage();
  t.teardown(() => page.close());
  const complaints = complaintsOf(page);
  await page.bringToFront();
  // Its reader's clock is right: it goes by the service's.
  await page.clock.install({ time: service.nowMs() });
  await page.goto(service.baseUrl + path);
  await page.locator('tbody tr').first().waitFor();
  return { page, complaints };
}

const timer = (page: Page) => page.getByRole('timer').textContent();
const stateOf = (page: Page, state: string) => page.locator('h1', { hasText: state }).waitFor();

test.serial('the countdown goes by the second down to the close, and not beyond', async (t) => {
  const answer = await service.call('GET', `/v1/public/races/${raceId}`);
  const { race } = await okBody<{ race: { qualifying_closes_at: string } }>(answer);
  const closesMs = Date.parse(race.qualifying_closes_at);
  const { page, complaints } = await opened(t, '/app/races');
  await stateOf(page, 'qualifying open');
  const stopsMs = service.nowMs() + 60_000;
  await page.clock.pauseAt(stopsMs);
  t.is(await timer(page), countdownText(closesMs, stopsMs));
  await page.clock.runFor(1_000);
  t.is(await timer(page), countdownText(closesMs, stopsMs + 1_000));
  await page.clock.fastForward(closesMs - stopsMs + 5_000);
  t.is(await timer(page), '00:00:00');
  await page.clock.resume();
  t.deepEqual(await barriers(page), []);
  await keepShot(page, 'light-race-open');
  t.deepEqual(complaints, []);
});

test.serial(
  'a race is followed from its close to its result, and nothing is told early',
  async (t) => {
    const { page, complaints } = await opened(t, `/app/races/${raceId}`);
    await stateOf(page, 'qualifying open');
    const field = page.getByRole('table', { name: 'Versions of the field' });
    t.is(await field.getByRole('row').count(), 3);

    const allowStart = await holdUpStart();
    await order('close-qualifying', raceId);
    await page.getByText('The field is fixed; it starts soon.').waitFor();
    await stateOf(page, 'qualifying closed');
    t.is(await field.getByText('sealed until the end').count(), 2);
    t.deepEqual(await barriers(page), []);
    await keepShot(page, 'light-race-closed');

    await allowStart();
    await page.getByText('0 of 2 are evaluated').waitFor();
    await judgeOne(judge, suite, 0.712_345);
    // No event tells of it before the release; the page asks every so often.
    await page.clock.fastForward(15_000);
    await page.getByText('1 of 2 are evaluated').waitFor();
    await page.getByText('sealed until the end').first().waitFor();
    t.is(await page.getByText('sealed until the end').count(), 3, 'both scores, and who wins');
    const told = (await page.locator('main').textContent()) ?? '';
    t.false(told.includes('0.7123'), told);
    t.false(told.includes('Its rules'), told);
    await page.getByText('All scores are sealed until then.').waitFor();
    t.deepEqual(await barriers(page), []);
    await keepShot(page, 'light-race-running');

    await judgeOne(judge, suite, 0.6);
    await page.getByRole('heading', { name: 'Result' }).waitFor();
    await stateOf(page, 'race complete');
    t.is(await page.getByText('sealed until the end').count(), 0);
    t.true((await field.textContent())?.includes('0.7123'));
    await page.getByText('the winner, as nobody reigned').waitFor();
    await page.getByText(/^Its rules: 1 run each, of up to \d+ tasks; /).waitFor();
    t.deepEqual(complaints, []);
  },
);

test.serial('a cancelled race says so, and is among the past ones', async (t) => {
  const next = await currentRaceId(service);
  t.not(next, raceId);
  const { page, complaints } = await opened(t, `/app/races/${next}`);
  await stateOf(page, 'qualifying open');

  const allowStart = await holdUpStart();
  await order('close-qualifying', next);
  await stateOf(page, 'qualifying closed');
  const field = page.getByRole('table', { name: 'Versions of the field' });
  t.is(await field.getByText('sealed until the end').count(), 1);
  await order('cancel', next, { reason: 'a broken pack' });
  await stateOf(page, 'race cancelled');
  // When, and the code with what it means or an operator's words.
  await page.locator('.countdown', { hasText: /Race cancelled .*\d.*: \S/ }).waitFor();
  const past = page.getByRole('table', { name: 'Completed and cancelled races' });
  await past.getByRole('row', { name: 'race cancelled' }).waitFor();
  await allowStart();
  t.is(await field.getByRole('row').count(), 2);
  t.is(await page.getByText('sealed until the end').count(), 0, 'there is no end to wait for');
  t.is(await page.getByText('not yet known').count(), 0);
  t.deepEqual(await barriers(page), []);
  await keepShot(page, 'light-race-cancelled');
  t.deepEqual(complaints, []);
});
