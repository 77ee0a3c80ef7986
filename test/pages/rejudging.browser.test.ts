/** An operator has runs of a race judged again, on the page, and sees what it would have paid. */
import test from 'ava';
import {
  judgeRun,
  openRejudgedRace,
  playRejudgedRace,
  type RejudgedRace,
  rewardsOf,
} from '../support/rejudged-race.ts';
import { complaintsOf, openBrowser } from './browser.ts';

let desk: RejudgedRace;
test.before(async () => {
  desk = await openRejudgedRace();
  await playRejudgedRace(desk);
});
test.after.always(() => desk?.service.stop());

test('the change in scores, ranks and payout is on the page before anything is applied', async (t) => {
  const { service, judges, first, second } = desk;
  await using browser = await openBrowser();
  const page = await browser.newPage();
  const complaints = complaintsOf(page);
  await page.goto(`${service.baseUrl}/app/operator`);
  await page.getByLabel('Operator’s token').fill(service.operatorToken);
  await page.getByRole('button', { name: 'Open' }).click();
  await page.getByRole('button', { name: 'Rejudging', exact: true }).click();
  await page.getByText('Have runs judged again').click();
  await page.getByLabel('Validator’s hotkey').fill(judges[0].hotkey);
  await page.getByLabel('Phase').selectOption('RACE');
  await page.getByLabel('Reason', { exact: true }).fill('a wrong clock');
  await page.getByRole('button', { name: 'Select and judge again' }).click();
  await page.getByText('Nothing is judged yet, so nothing changes so far.').waitFor();
  t.true(await page.getByRole('button', { name: 'Apply' }).isDisabled());

  for (const _ of [first, second]) await judgeRun(desk, judges[2], rewardsOf(desk)('0.2', '0.9'));
  const table = page.getByRole('table', { name: /^Race 1, whose result stands/ });
  const cellsOf = async (id: string) =>
    await table
      .getByRole('row', { name: id.slice(0, 8) })
      .getByRole('cell')
      .allTextContents();
  await page.getByText('2 of 2 runs are judged').waitFor();
  const [raceScore, , ...rest] = await cellsOf(first);
  t.is(raceScore, '0.7000 → 0.4000');
  t.deepEqual(rest, ['1 → 2', 'no → yes', '75.00 % → 0.00 %', '75.0000 → 0.0000', '187.50 → 0.00']);
  t.deepEqual((await cellsOf(second)).slice(2), [
    '2 → 1',
    'yes → no',
    '0.00 % → 75.00 %',
    '0.0000 → 75.0000',
    '0.00 → 187.50',
  ]);
  const [winner, loser] = [first.slice(0, 8), second.slice(0, 8)];
  await page.getByText(`Winner: ${winner} → ${loser}. Top: ${winner} → ${loser}.`).waitFor();
  await page.getByText('Burned: 25.00 %, 25.0000 TAO a day.').waitFor();

  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByRole('button', { name: 'Apply' }).waitFor({ state: 'detached' });
  t.is(await page.getByText('RACE_OVER').count(), 2, 'the race stands');
  t.deepEqual(complaints, []);
});
