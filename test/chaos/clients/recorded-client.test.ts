import test, { type ExecutionContext } from 'ava';
import { participantKeypair } from '../../../apps/world/participants/keys.ts';
import { listening } from '../../support/listening.ts';
import { History } from './history.ts';
import { recordedClient } from './recorded-client.ts';

const claimPath = '/v1/validator/work/claim';
const claimed = JSON.stringify({
  ...{ eval_run_id: 'r', agent_version_id: 'v', lease_expires_at: '2026-11-22T00:00:00.000Z' },
});

/** What is written down of one request to a server that gives these answers, one after another. */
async function historyOf(
  t: ExecutionContext,
  answers: readonly (readonly [status: number, body: string])[],
  [method, path] = ['POST', claimPath],
  losesClaim: (() => boolean) | undefined = undefined,
): Promise<History> {
  const left = [...answers];
  const { origin } = await listening(t, (_request, response) => {
    const [status, body] = left.shift() ?? [200, claimed];
    response.writeHead(status).end(body);
  });
  const history = new History();
  const client = recordedClient({
    baseUrls: [origin],
    ...{ keypair: participantKeypair(1, 'validator', 0), scheme: 'signed-headers', history },
    ...{ ending: new AbortController().signal, heedsRetryAfter: false, patienceMs: 60_000 },
    ...(losesClaim && { losesClaim }),
  });
  await client.request(method, path).catch(() => undefined);
  return history;
}

test('a 500 is a defect under the name of what was asked, also where it helps to ask again', async (t) => {
  const failed = [500, '{"error_code":"INTERNAL_ERROR","detail":"?"}'] as const;
  const history = await historyOf(t, [failed]);

  t.deepEqual(history.defects, [`POST ${claimPath} was answered 500 INTERNAL_ERROR`]);
  t.deepEqual(
    history.attempts.map(({ status, outcome }) => [status, outcome]),
    [
      [500, 'unknown'],
      [200, 'acknowledged'],
    ],
  );
});

test('a 500 to a question that writes nothing is a defect as well', async (t) => {
  const failed = [500, '{"error_code":"INTERNAL_ERROR","detail":"?"}'] as const;
  const history = await historyOf(t, [failed], ['GET', '/v1/miner/agents']);

  t.deepEqual(history.defects, ['GET /v1/miner/agents was answered 500 INTERNAL_ERROR']);
});

test('an acknowledgement that says too little is a defect, and none', async (t) => {
  const history = await historyOf(t, [[200, '{"eval_run_id":"r"}']]);

  t.is(history.defects.length, 1);
  t.regex(history.defects[0] ?? '', /was answered 200, which cannot be read: .*agent_version_id/);
  t.is(history.attempts[0]?.outcome, 'unknown');
});

test('an answer that is no JSON, and a status that acknowledges nothing, are defects', async (t) => {
  t.is((await historyOf(t, [[200, claimed.slice(1)]])).defects.length, 1);
  t.is((await historyOf(t, [[404, '<html>']])).defects.length, 1);
  t.is((await historyOf(t, [[202, claimed]])).defects.length, 1);
});

test('what the service cannot do now, refuses or has done is no defect', async (t) => {
  const busy = [503, '{"error_code":"OWNER_UNAVAILABLE","detail":"?"}'] as const;
  const refused = [409, '{"error_code":"AT_CAPACITY","detail":"?"}'] as const;

  t.deepEqual((await historyOf(t, [busy, refused])).defects, []);
  t.deepEqual((await historyOf(t, [[204, '']])).defects, []);
  t.deepEqual((await historyOf(t, [])).defects, []);
});

test('a claim whose answer is lost is of no known outcome, and sent again', async (t) => {
  let claims = 0;
  const first = () => {
    claims += 1;
    return claims === 1;
  };
  const { attempts } = await historyOf(t, [[200, claimed]], ['POST', claimPath], first);
  t.deepEqual(
    attempts.map(({ outcome, told }) => [outcome, told.evalRunId]),
    [
      ['unknown', undefined],
      ['acknowledged', 'r'],
    ],
  );
});
