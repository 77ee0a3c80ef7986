import { randomUUID } from 'node:crypto';
import test from 'ava';
import type { Logger } from '../../../infra/ports/log.ts';
import { Fault } from '../../../machines/fault.ts';
import { openLoanDesk } from '../../support/loan-desk.ts';
import { silentLogger } from '../../support/silent-telemetry.ts';

const secret = () => `demo-${randomUUID()}`;

test('what a provider answered where it checked nothing is in the log', async (t) => {
  const warned: Readonly<Record<string, unknown>>[] = [];
  const warn: Logger['warn'] = (text, fields) => warned.push({ text, ...fields });
  const { connect, refusal, standIns } = await openLoanDesk(t, { log: { ...silentLogger, warn } });
  standIns.providera.fail({ kind: 'status', status: 400 });

  t.is(await refusal(connect('alice', 'providera', secret())), 'PROVIDER_UNAVAILABLE');
  t.like(warned, [
    {
      ...{ text: 'a provider could not check a credential', provider: 'providera' },
      error: { message: 'the provider answers 400' },
    },
  ]);
});

// An account's own limits are in its miner's hands, and a run that fails by its provider is no score.
for (const [fault, isOutage] of [
  [{ kind: 'status', status: 429 }, false],
  [{ kind: 'status', status: 400 }, false],
  [{ kind: 'status', status: 503 }, true],
  [{ kind: 'cut' }, true],
] as const) {
  const what = 'status' in fault ? `answers ${fault.status}` : 'breaks off';
  test(`a provider that ${what} to the wish for a key ${isOutage ? 'failed' : 'did not fail'}`, async (t) => {
    const { connect, token, key, plantRun, standIns } = await openLoanDesk(t);
    await connect('alice', 'providera', secret());
    const run = await plantRun('alice');
    standIns.providera.fail(fault);
    await token(run);

    const refused = await t.throwsAsync(key(run, 'providera'), { instanceOf: Fault });
    t.is(refused.code, 'PROVIDER_UNAVAILABLE');
    t.is('provider_failed' in refused.extras, isOutage);
  });
}
