import { randomUUID } from 'node:crypto';
import test from 'ava';
import { openLoanDesk } from '../../support/loan-desk.ts';
import { until } from '../../support/until.ts';

const secret = () => `demo-${randomUUID()}`;

test('a default falls to no provider that refuses its credential', async (t) => {
  const { connect, choose, disconnect, plantRun, token, admin } = await openLoanDesk(t);
  await connect('alice', 'providera', secret());
  await connect('alice', 'providerb', secret());
  await choose('alice', 'providerb');
  await admin`update inference_credential set rejected_at = now() where provider = 'providera'`;
  await disconnect('alice', 'providerb');
  await connect('alice', 'providerb', secret());
  t.truthy(await token(await plantRun('alice')), 'its runs have models');
});

test('a credential that was replaced long ago is kept as long as a run has a key of it', async (t) => {
  const desk = await openLoanDesk(t, { isRevoking: true });
  const { connect, token, key, plantRun, endRun, isGood, keys, admin } = desk;
  await connect('alice', 'providerb', secret());
  const run = await plantRun('alice');
  await token(run);
  const lent = await key(run, 'providerb');
  await connect('alice', 'providerb', secret(), true);
  // One that nobody needs any more goes with the sweep that must leave the other.
  await connect('bob', 'providerb', secret());
  await connect('bob', 'providerb', secret(), true);
  await admin`update inference_past_credential set replaced_at = now() - interval '5 minutes'`;
  await until(async () => {
    const rows = await admin`select from inference_past_credential where miner_hotkey = 'bob'`;
    return rows.length === 0;
  });
  await endRun(run);
  await until(async () => (await keys()).every(({ isOpen }) => !isOpen));
  t.false(await isGood('providerb', lent.text));
});
