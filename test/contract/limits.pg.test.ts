import test from 'ava';
import { settings } from '../../infra/config/settings.ts';
import { invalid } from '../edge/routes/answers.ts';
import { covers } from '../spec/covers.ts';
import { type NumberRow, numbers } from '../spec/limits.ts';
import type { RouteId } from '../spec/routes.ts';
import { matches } from '../spec/rows.ts';
import { startTestService, type TestService } from '../support/edge.ts';
import { agentCode, episodes, submissionForm } from '../support/evaluation-client.ts';
import { openTrialSuite, type TrialSuite } from '../support/trial-suite.ts';
import { until } from '../support/until.ts';
import { type Ask, ContractDesk } from './contract-desk.ts';

// The limits of the text at their edges: the last that is taken, and the first that is not.

let service: TestService;
let desk: ContractDesk;
let suite: TrialSuite;

test.before(async () => {
  service = await startTestService({
    env: { CLOCK: 'simulated', PUBLIC_RATE_PER_MINUTE: '100', SESSION_RATE_PER_MINUTE: '5' },
  });
  desk = new ContractDesk(service);
  suite = await openTrialSuite(service, { requiredSuccesses: 1 });
});
test.after.always(() => service?.stop());

test('every number of the contract is a setting with this default', (t) => {
  const known: Readonly<Record<string, { readonly default: string | undefined }>> = settings;
  const rows = Object.entries<NumberRow>(numbers).filter(([id]) => matches(id, 'CON-9-*'));
  for (const [id, { key, default: expected }] of rows) {
    t.true(key in known, id);
    const found = known[key]?.default ?? '';
    const isNumber = expected !== '' && !Number.isNaN(Number(expected));
    if (isNumber) t.is(Number(found), Number(expected), id);
    else t.is(found, expected, id);
  }
});

type Bound = readonly [RouteId, string, readonly (string | number)[], readonly (string | number)[]];

test.serial('a parameter has these bounds', async (t) => {
  covers('SPEC-LIM-LEADERBOARD', 'SPEC-LIM-HISTORY');
  const bounds: readonly Bound[] = [
    ['SPEC-PUB-04', 'limit', [1, 500], [0, 501, '1.0', '+1', ' 1']],
    ['SPEC-PUB-04', 'offset', [0], [-1, '1e3']],
    ['SPEC-PUB-04', 'q', ['', 'x'.repeat(64)], ['x'.repeat(65)]],
    ['SPEC-PUB-04', 'score_type', ['qualifying', 'race'], ['other', '']],
    ['SPEC-PUB-04', 'suite_id', [1], ['x', '01']],
    ['SPEC-PUB-16', 'limit', [1, 500], [0, 501]],
    ['SPEC-PUB-16', 'offset', [0], [-1]],
    ['SPEC-PUB-17', 'limit', [1, 100], [0, 101]],
    ['SPEC-PUB-17', 'offset', [0], [-1]],
    ['SPEC-PUB-17', 'suite_id', [1], ['x']],
    ['SPEC-PUB-07', 'suite_id', [1], ['x']],
    ['SPEC-PUB-19', 'provider', ['providera', 'providerb'], ['nobody']],
    ['SPEC-PUB-19', 'ranked', ['true', 'false'], ['maybe']],
    ['CON-7-AUDIT', 'limit', [1, 500], [0, 501]],
    ['CON-7-AUDIT', 'offset', [0], [-1]],
    ['OWN-REJUDGINGS', 'limit', [1, 500], [0, 501]],
    ['OWN-PARKED_MESSAGES', 'limit', [1, 500], [0, 501]],
    ['OWN-TRACES', 'limit', [1, 500], [0, 501]],
    ['OWN-TRACES', 'outcome', ['done', 'refused', 'failed'], ['ok', '']],
    ['OWN-TRACES', 'order', ['newest', 'slowest'], ['oldest']],
    ['OWN-SIMILARITIES', 'limit', [1, 500], [0, 501]],
    ['OWN-SIMILARITIES', 'verdict', ['clean', 'suspicious', 'copy'], ['COPY', '']],
  ];
  for (const [id, name, taken, refused] of bounds) {
    for (const value of taken) await desk.ask(t, id, { query: { [name]: value } });
    for (const value of refused) {
      const loc = await invalid(t, await desk.send(id, { query: { [name]: value } }));
      t.is(loc, `query.${name}`, `${id} ${value}`);
    }
  }
  const [first] = await desk.ask(t, 'SPEC-PUB-01');
  t.is(first?.suite_id, suite.suiteId);
  const board = await desk.ask(t, 'SPEC-PUB-04');
  t.deepEqual([board.limit, board.offset], [100, 0]);
  const history = await desk.ask(t, 'SPEC-PUB-17');
  t.deepEqual([history.limit, history.offset], [20, 0]);
});

test.serial('a provider has up to 32 characters, a hash 64 lower-case ones', async (t) => {
  covers('SPEC-LIM-PROVIDER', 'SPEC-LIM-PACK_HASH', 'SPEC-LIM-LEADERBOARD_Q');
  const by = await service.miner('provider');
  const provider = (length: number): Ask => ({ by, params: { provider: 'x'.repeat(length) } });
  await desk.refuse(t, 'CON-6-UNKNOWN_PROVIDER', await desk.send('SPEC-MIN-03', provider(32)));
  t.is(await invalid(t, await desk.send('SPEC-MIN-03', provider(33))), 'path.provider');
  const validator = await service.validator('hash');
  for (const hash of ['ab', 'AB'.repeat(32), 'ab'.repeat(33)]) {
    const asked = { by: validator, params: { pack_sha256: hash } };
    t.is(await invalid(t, await desk.send('SPEC-VAL-03', asked)), 'path.pack_sha256');
  }
});

test.serial('a board is scored as it is asked, and embeddings come when they are', async (t) => {
  covers('SPEC-LIM-PROBLEMS_SIZE', 'CON-3-SCORE_TYPE.*');
  for (const score_type of ['qualifying', 'race']) {
    await desk.ask(t, 'SPEC-PUB-04', { query: { score_type } });
  }
  const params = { suite_id: suite.suiteId };
  const plain = await desk.ask(t, 'SPEC-PUB-03', { params });
  t.false(JSON.stringify(plain).includes('reward_title_embeddings'));
  t.is(
    (await desk.ask(t, 'SPEC-PUB-03', { params, query: { include_embeddings: true } })).suite
      .suite_id,
    suite.suiteId,
  );
});

test.serial('an agent has a million bytes, and its miner 18 hours', async (t) => {
  covers('SPEC-LIM-AGENT_FILE', 'SPEC-LIM-COOLDOWN');
  const by = await service.miner('large');
  const body = (size: number) =>
    submissionForm({ name: 'agent', file: agentCode.padEnd(size, '#') });
  const tooLarge = await desk.send('SPEC-MIN-01', { by, body: body(1_000_001) });
  await desk.refuse(t, 'CON-6-FILE_TOO_LARGE', tooLarge);
  const { next_allowed_at } = await desk.ask(t, 'SPEC-MIN-01', { by, body: body(1_000_000) });
  const waitSeconds = (Date.parse(next_allowed_at) - service.nowMs()) / 1000;
  t.true(Math.abs(waitSeconds - 64_800) < 30, String(waitSeconds));
  const early = await desk.send('SPEC-MIN-01', { by, body: body(100) });
  const { remaining_seconds } = await desk.refuse(t, 'CON-6-COOLDOWN_ACTIVE', early);
  t.true(Number.isInteger(remaining_seconds));
});

test.serial('a batch has 1 to 500 results', async (t) => {
  covers('SPEC-LIM-BATCH', 'SPEC-VAL-04.body.results');
  const by = await service.validator('batch');
  const { eval_run_id } = await desk.ask(t, 'CON-4-CLAIM_WORK', { by });
  const [one] = episodes(eval_run_id, suite);
  const batch = (count: number) => ({ by, body: { results: Array(count).fill(one) } });
  const { counts } = await desk.ask(t, 'SPEC-VAL-04', batch(500));
  t.deepEqual(counts, { '201': 1, '409': 499 });
  for (const count of [0, 501]) {
    t.is(await invalid(t, await desk.send('SPEC-VAL-04', batch(count))), 'body.results');
  }
});

test.serial('a challenge and a signed header live for a minute', async (t) => {
  covers('SPEC-LIM-CHALLENGE_AGE', 'SPEC-LIM-SKEW');
  const by = await service.miner('minute');
  const skewed = (offsetSeconds: number) => ({ headers: by.headers({ offsetSeconds }) });
  // It has a second to arrive, if not two: where the machine took that, it is sent again.
  await until(async () => {
    const startedMs = performance.now();
    const { status } = await desk.send('SPEC-MIN-02', skewed(-58));
    if (performance.now() - startedMs < 1_000) t.is(status, 200);
    return status === 200;
  });
  await desk.refuse(t, 'CON-2-TIMESTAMP_SKEW', await desk.send('SPEC-MIN-02', skewed(-62)));
  const hotkey = by.hotkey;
  const challenge = async () =>
    (await desk.ask(t, 'CON-2-ISSUE_CHALLENGE', { body: { hotkey } })).challenge;
  const open = (text: string): Ask => ({
    body: { hotkey, challenge: text, signature: by.sign(text) },
  });
  const late = await challenge();
  await service.advance(61);
  await desk.refuse(t, 'CON-2-INVALID_CHALLENGE', await desk.send('SPEC-AUTH-01', open(late)));
  await desk.ask(t, 'SPEC-AUTH-01', open(await challenge()));
});

test.serial('code is private for five days', async (t) => {
  covers('SPEC-LIM-PRIVATE_CODE');
  const by = await service.miner('private');
  const body = submissionForm({ name: 'agent', file: agentCode });
  const { agent_version_id } = await desk.ask(t, 'SPEC-MIN-01', { by, body });
  const params = { agent_version_id };
  await service.advance(5 * 86_400 - 60);
  await desk.refuse(t, 'CON-6-ARTIFACT_NOT_RELEASED', await desk.send('SPEC-PUB-11', { params }));
  await service.advance(61);
  const { release_reason } = await desk.ask(t, 'SPEC-PUB-11', { params });
  t.is(release_reason, 'AGED');
  desk.seen.requireWords(t, 'CON-5-RELEASE_REASON.AGED');
});

test.serial('an address asks a hundred times a minute, and opens five sessions', async (t) => {
  covers('SPEC-LIM-REQUESTS', 'SPEC-LIM-SESSION');
  const limited = await startTestService({
    env: { PUBLIC_RATE_PER_MINUTE: '100', SESSION_RATE_PER_MINUTE: '5' },
  });
  t.teardown(() => limited.stop());
  const body = { hotkey: service.stranger('x').hotkey, challenge: 'x', signature: 'x' };
  const sessions = Array.from({ length: 6 }, () =>
    limited.call('POST', '/v1/auth/session', { body }),
  );
  const told = (await Promise.all(sessions)).map(({ status }) => status);
  t.is(told.filter((status) => status === 429).length, 1);
  const reads = Array.from({ length: 110 }, () => limited.call('GET', '/v1/public/suites'));
  const statuses = (await Promise.all(reads)).map(({ status }) => status);
  const served = statuses.filter((status) => status === 200).length;
  t.true(served >= 90 && served <= 100, `${served} of 110`);
});
