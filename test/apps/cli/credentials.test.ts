import test from 'ava';
import { Refusal, Unanswered } from '../../../apps/cli/client/refusal.ts';
import { detailOf } from '../../../machines/refusal.ts';
import { answeredLine } from '../../support/answered-line.ts';

const updatedAt = '2026-11-24T19:00:00.000Z';

function status(provider: string, is: 'connected' | 'refused' | 'absent') {
  return {
    ...{ provider, connected: is === 'connected' },
    updated_at: is === 'absent' ? null : updatedAt,
  };
}

/** As the service lists them: a default is always one of which something is stored. */
function listing(
  [a, b]: readonly [Parameters<typeof status>[1], Parameters<typeof status>[1]],
  chosen: string | null,
) {
  return {
    providers: [status('providera', a), status('providerb', b)],
    default_provider: chosen,
  };
}

const other =
  'Your agents still use providera, which is not connected. ' +
  'Use this one: paddock credentials default providerb\n';
const none = 'Agents that ask models need one: paddock credentials set PROVIDER\n';

for (const [what, now, advice] of [
  ['the default is refused, the other one connected', ['refused', 'connected', 'providera'], other],
  [
    'nothing is chosen, and one connected',
    ['refused', 'connected', null],
    'Your agents use no provider. Use this one: paddock credentials default providerb\n',
  ],
  ['nothing is connected', ['absent', 'absent', null], none],
  ['all that is stored is refused', ['refused', 'absent', 'providera'], none],
  ['the default is connected', ['connected', 'absent', 'providera'], ''],
  ['so is the other one', ['connected', 'connected', 'providera'], ''],
  ['the other one is refused', ['connected', 'refused', 'providera'], ''],
] as const) {
  test(`the listing says what keeps agents from models: ${what}`, async (t) => {
    const [a, b, chosen] = now;
    const answers = { getMinerInferenceAuth: listing([a, b], chosen) };
    const { code, out } = await answeredLine(answers, 'credentials');

    t.is(code, 0);
    t.is(out.split('\n').slice(2).join('\n'), advice);
    const used = out.split('\n').filter((line) => line.includes('agents use it'));
    t.deepEqual(
      used.map((line) => line.split(' ')[0]),
      chosen === null ? [] : [chosen],
    );
  });
}

const orders = [
  ['set', 'postMinerInferenceAuthByProvider'],
  ['rotate', 'postMinerInferenceAuthRotate'],
] as const;

for (const [word, operation] of orders) {
  const stored = { [operation]: status('providerb', 'connected') };
  const order = ['credentials', word, 'providerb'];

  test(`who connects another provider than agents use is told so: ${word}`, async (t) => {
    const refused = listing(['refused', 'connected'], 'providera');
    const { code, out } = await answeredLine(
      { ...stored, getMinerInferenceAuth: refused },
      ...order,
    );

    t.is(code, 0);
    t.is(out, `providerb is connected.\n${other}`);
  });

  test(`where agents have one there is no more to say: ${word}`, async (t) => {
    for (const chosen of ['providera', 'providerb']) {
      const well = listing(['connected', 'connected'], chosen);
      const { out } = await answeredLine({ ...stored, getMinerInferenceAuth: well }, ...order);
      t.is(out, 'providerb is connected.\n', chosen);
    }
  });

  test(`what is stored is stored, though nobody says what agents use: ${word}`, async (t) => {
    const busy = { status: 503, headers: new Headers() };
    for (const failure of [
      new Unanswered('GET http://x/: the connection failed'),
      new Refusal('GET /v1/miner/inference-auth', busy, { error_code: 'OVERLOADED', detail: '' }),
    ]) {
      const answers = { ...stored, getMinerInferenceAuth: failure };
      const { code, out, error } = await answeredLine(answers, ...order);
      t.is(code, 0, error);
      t.is(out, 'providerb is connected.\n');
    }
  });

  test(`whose order was not answered is sent to look first: ${word}`, async (t) => {
    const headers = new Headers();
    const lost = { error_code: 'OUTCOME_UNKNOWN', detail: detailOf('OUTCOME_UNKNOWN') };
    for (const [failure, message] of [
      [new Unanswered('POST http://x/: the connection failed'), /is not known\n/],
      [new Refusal('POST /', { status: 503, headers }, lost), /The outcome is not known yet\.\n/],
    ] as const) {
      const { code, error } = await answeredLine({ [operation]: failure }, ...order);
      t.is(code, 5);
      t.regex(error, message);
      t.regex(
        error,
        /\n *Look with paddock credentials whether it took effect, before you send it again\.\n/,
      );
      t.notRegex(error, /paddock (status|agents)/);
    }
  });

  test(`a program is answered as before, and the service asked nothing more: ${word}`, async (t) => {
    const { code, out } = await answeredLine(stored, ...order, '--json');

    t.is(code, 0);
    t.deepEqual(JSON.parse(out), status('providerb', 'connected'));
  });
}
