import { randomUUID } from 'node:crypto';
import test from 'ava';
import type { Endpoint } from '../../apps/edge/endpoint.ts';
import { endpoints } from '../../apps/edge/routes/index.ts';
import { startTestService, type TestService } from '../support/edge.ts';
import type { TestKey } from '../support/edge-client.ts';
import { claim, episode, type Submitted, submit } from '../support/evaluation-client.ts';
import { refusal } from '../support/framework.ts';
import { openTrialSuite, type TrialSuite } from '../support/trial-suite.ts';

interface Victim {
  readonly suite: TrialSuite;
  readonly submitted: Submitted;
  readonly evalRunId: string;
  readonly problemId: string;
  readonly validator: TestKey;
}

let service: TestService;
let victim: Victim;
test.before(async () => {
  service = await startTestService();
  const suite = await openTrialSuite(service);
  const submitted = await submit(await service.miner('victim-miner'));
  const validator = await service.validator('victim-validator');
  const { eval_run_id: evalRunId } = await claim(validator);
  const path = `/v1/validator/evaluation-runs/${evalRunId}/problems`;
  const listed = (await (await validator.get(path)).json()) as {
    problems: { problem_id: string }[];
  };
  const problemId = listed.problems[0]?.problem_id ?? '';
  victim = { suite, submitted, evalRunId, problemId, validator };
});
test.after.always(() => service?.stop());

/** What would be done to the victim's object if the caller were let: a whole, valid body each. */
const bodies: Readonly<Record<string, () => object>> = {
  heartbeat: () => ({ cpu_pct: 1 }),
  progress: () => ({ problems: [{ problem_id: victim.problemId, status: 'SUCCESS', score: 1 }] }),
  complete: () => ({ terminal_status: 'FAILED', failure_class: 'AGENT' }),
  'race-selection': () => ({ agent_version_id: victim.submitted.agent_version_id }),
  'uploads/presign': () => ({
    content_length: 10,
    eval_run_id: victim.evalRunId,
    problem_id: victim.problemId,
  }),
  'episode-artifacts/presign': () => ({
    eval_run_id: victim.evalRunId,
    env_pack_sha256: victim.suite.packSha256,
    artifact_sha256: 'a'.repeat(64),
    content_length: 10,
  }),
  'episode-results': () => {
    const [task] = victim.suite.tasks;
    if (task === undefined) throw new Error('the suite has tasks');
    return { results: [episode(victim.evalRunId, { suite: victim.suite, task })] };
  },
};

const bodyOf = ({ path }: Endpoint) =>
  Object.entries(bodies).find(([name]) => path.endsWith(name))?.[1]();

const pathOf = ({ path }: Endpoint) =>
  path
    .replace('{eval_run_id}', victim.evalRunId)
    .replace('{agent_id}', victim.submitted.agent_id)
    .replace('{pack_sha256}', victim.suite.packSha256 ?? '')
    .replace('{race_id}', victim.evalRunId)
    .replace('{hotkey}', victim.validator.hotkey)
    .replace('{suite_id}', String(victim.suite.suiteId));

/** Everything that a request may change, but for who was last seen and which nonces were used. */
async function contents(): Promise<string> {
  const tables = ['agent', 'agent_version', 'miner', 'work_item', 'evaluation_run', 'run_beat'];
  tables.push('episode_result', 'problem_progress', 'episode_artifact', 'suite', 'hotkey_ban');
  tables.push(
    'race_pin',
    'audit_log',
    'pack',
    'session',
    'challenge',
    'rejected_submission',
    'idempotency',
  );
  const rows = await Promise.all(
    tables.map(async (table) => {
      const [row] = await service.sql<{ all: string | null }[]>`
        select string_agg(t::text, '|' order by t::text) as all from ${service.sql(table)} as t`;
      return `${table}: ${row?.all}`;
    }),
  );
  return rows.join('\n');
}

const ownersOnly = /eval_run_id|agent_id|race_id|presign$|episode-results$|^put .*race-selection$/;

test.serial('what belongs to one is closed to all others of its role', async (t) => {
  const others = {
    miner: await service.miner('other-miner'),
    validator: await service.validator('other-validator'),
  };
  const owned = endpoints.filter(
    ({ method, path, role }) => role in others && ownersOnly.test(`${method} ${path}`),
  );
  t.true(owned.length >= 11);
  const before = await contents();
  for (const endpoint of owned) {
    const other = endpoint.role === 'miner' ? others.miner : others.validator;
    const method = endpoint.method.toUpperCase();
    const answer = await other.request(method, pathOf(endpoint), { body: bodyOf(endpoint) });
    const cell = `${method} ${endpoint.path}`;
    if (endpoint.path.endsWith('episode-results')) {
      const { results } = (await answer.json()) as { results: { status: number }[] };
      t.is(results[0]?.status, 404, cell);
    } else {
      t.true([403, 404].includes(answer.status), `${cell}: ${answer.status}`);
      t.truthy((await refusal(answer)).error_code, cell);
    }
  }
  t.is(await contents(), before);
});

test.serial('a banned key, by either scheme, may do nothing of what its role may', async (t) => {
  const banned = {
    miner: await service.miner('banned-miner'),
    validator: await service.validator('banned-validator'),
  };
  const sessions = {
    miner: await banned.miner.openSession(),
    validator: await banned.validator.openSession(),
  };
  for (const { hotkey } of Object.values(banned)) {
    const body = { reason: 'it lied' };
    t.is((await service.operator('PUT', `/v1/admin/hotkeys/${hotkey}/ban`, { body })).status, 200);
  }
  // What an edge knew half a second ago it may still believe.
  const deadline = Date.now() + 1000;
  while ((await banned.miner.get('/v1/miner/agents')).status !== 403) {
    t.true(Date.now() < deadline, 'a ban holds within a second');
  }
  await service.call('GET', '/health');
  const before = await contents();
  for (const endpoint of endpoints) {
    if (['operator', 'public', 'run'].includes(endpoint.role)) continue;
    const role = endpoint.role === 'miner' ? 'miner' : 'validator';
    const method = endpoint.method.toUpperCase();
    const options = { body: bodyOf(endpoint) };
    const signed = await banned[role].request(method, pathOf(endpoint), options);
    t.is(signed.status, 403, `${method} ${endpoint.path}`);
    t.regex(String((await refusal(signed)).detail), /banned/);
    const headers = { authorization: `Bearer ${sessions[role]}` };
    const bearer = await service.call(method, pathOf(endpoint), { ...options, headers });
    t.true([401, 403].includes(bearer.status), `${method} ${endpoint.path} in a session`);
  }
  t.is(await contents(), before);
});

test.serial('tokens open nothing but what they are for', async (t) => {
  const session = await victim.validator.openSession();
  const wrong = [
    ...[`Bearer ${session}`, `Bearer ${randomUUID()}`, 'Bearer ', 'Bearer', 'Basic eDp5'],
    ...[`Bearer ${service.operatorToken}x`, `Bearer ${service.operatorToken.slice(1)}`],
    ...[`bearer  ${service.operatorToken}`, `Token ${service.operatorToken}`],
    `Bearer ${service.operatorToken.toUpperCase()}`,
    `Bearer ${service.operatorToken},${service.operatorToken}`,
  ];
  const before = await contents();
  for (const endpoint of endpoints.filter(({ role }) => role === 'operator')) {
    for (const authorization of wrong) {
      const method = endpoint.method.toUpperCase();
      const headers = { ...victim.validator.headers(), authorization };
      const answer = await service.call(method, pathOf(endpoint), { headers });
      t.is(answer.status, 401, `${method} ${endpoint.path}: ${authorization}`);
    }
  }
  t.is(await contents(), before);
});
