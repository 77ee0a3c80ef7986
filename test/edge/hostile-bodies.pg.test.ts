import test from 'ava';
import type { Endpoint } from '../../apps/edge/endpoint.ts';
import { endpoints } from '../../apps/edge/routes/index.ts';
import { startTestService, type TestService } from '../support/edge.ts';
import type { TestKey } from '../support/edge-client.ts';
import { claim, episode, resultsPath, submit } from '../support/evaluation-client.ts';
import { openTrialSuite, type TrialSuite } from '../support/trial-suite.ts';
import { until } from '../support/until.ts';

let service: TestService;
let suite: TrialSuite;
let validator: TestKey;
let evalRunId: string;
test.before(async () => {
  service = await startTestService();
  suite = await openTrialSuite(service);
  validator = await service.validator('hostile-validator');
  await submit(await service.miner('hostile-miner'));
  evalRunId = (await claim(validator)).eval_run_id;
});
test.after.always(() => service?.stop());

const seed = Number(process.env['TEST_SEED'] ?? 20_260_728);
/** By number, not by time: a quick machine is asked nothing that a slow one was not. */
const bodies = 2_000;

/** Park and Miller's generator: as good as the test needs, and a failure can be had again. */
function dice(from: number) {
  let state = from % 2_147_483_647 || 1;
  const next = () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  return { next, pick: <T>(from: readonly T[]) => from[Math.floor(next() * from.length)] as T };
}

/** As JSON text, since some of it has no other spelling. */
const hostile = [
  ...['null', 'true', '""', '[]', '{}', '0', '-0', '-1', '1.5', '1e400', '1e308', '5e-324'],
  ...['9007199254740993', '"1e400"', '"\\u0000"', '"\\ud800"', '"\\udc00\\ud800"', '"\\u202e"'],
  ...['"__proto__"', '"constructor"', '"%00"', '"../../etc"', `"' or 1=1; --"`, '"{{7*7}}"'],
  ...['{"__proto__":{"a":1}}', '{"constructor":{"prototype":1}}', '{"toString":1}', '{"":""}'],
  ...['{"length":{"toString":1,"valueOf":1}}', '{"size":{"toString":1,"valueOf":1}}'],
  `[${'1,'.repeat(2000)}1]`,
  `"${'x'.repeat(5000)}"`,
  `${'['.repeat(70)}${']'.repeat(70)}`,
  `{${Array.from({ length: 400 }, (_, at) => `"k${at}":1`).join()}}`,
];

type Shape = { readonly _zod: { readonly def: Readonly<Record<string, unknown>> } };

/** JSON text that fits the schema, but for what the dice make hostile. */
function textFor(schema: unknown, name: string, by: ReturnType<typeof dice>): string {
  const { def } = (schema as Shape)._zod;
  if (by.next() < 0.03) return by.pick(hostile);
  switch (def['type']) {
    case 'object':
      return objectFor(def['shape'] as Record<string, unknown>, by);
    case 'array':
      return `[${textFor(def['element'], name, by)}]`;
    case 'string':
      return JSON.stringify(wordFor(name));
    case 'number':
      return by.pick(['0', '1', '0.5']);
    case 'boolean':
      return by.pick(['true', 'false']);
    case 'enum':
      return JSON.stringify(by.pick(Object.values(def['entries'] as object)));
    case 'record':
      return `{${by.pick(['"a"', '"__proto__"', '"\\ud800"', '"\\u0000"'])}:${by.pick(hostile)}}`;
    case 'union':
      return textFor(by.pick(def['options'] as unknown[]), name, by);
    default: {
      const inner = def['innerType'] ?? def['in'];
      return inner === undefined ? by.pick(hostile) : textFor(inner, name, by);
    }
  }
}

function objectFor(shape: Record<string, unknown>, by: ReturnType<typeof dice>): string {
  const fields = Object.entries(shape)
    .filter(() => by.next() > 0.03)
    .map(([name, field]) => `"${name}":${textFor(field, name, by)}`);
  if (by.next() < 0.05) fields.push(`"__proto__":${by.pick(hostile)}`);
  return `{${fields.join()}}`;
}

function wordFor(name: string): string {
  if (name.endsWith('run_id')) return evalRunId;
  if (name.endsWith('sha256')) return suite.packSha256 ?? '';
  if (name.endsWith('key')) return validator.hotkey;
  const [task] = suite.tasks;
  return { task_id: task?.task_id, family: task?.family }[name] ?? 'a'.repeat(64);
}

const leak =
  /node_modules|\.ts:\d|at \w+ \(|select |insert |postgres|nats:|127\.0\.0\.1|localhost/i;

/** A run that is over tells nothing more, so what ends one is left out; so is what ends the suite. */
const fuzzed = endpoints.filter(
  ({ body, path }) => body !== undefined && !/(complete|release|reclaim|activate)$/.test(path),
);

function send(endpoint: Endpoint, body: string): Promise<Response> {
  const stranger = service.stranger('hostile-object').hotkey;
  const path = endpoint.path
    .replace('{eval_run_id}', evalRunId)
    .replace('{hotkey}', stranger)
    .replaceAll(/\{\w+\}/g, '1');
  const headers = { 'content-type': 'application/json' };
  const method = endpoint.method.toUpperCase();
  if (endpoint.role === 'operator') return service.operator(method, path, { body, headers });
  if (endpoint.role === 'public') return service.call(method, path, { body, headers });
  return validator.request(method, path, { body, headers });
}

test.serial(
  'no body makes a defect, shows the inside, or is audited unless it was done',
  async (t) => {
    t.timeout(300_000);
    t.log(`seed ${seed}`);
    const by = dice(seed);
    const countAudited = () =>
      service.sql<{ n: number }[]>`select count(*)::int as n from audit_log`;
    const [before] = await countAudited();
    let done = 0;
    for (let sent = 0; sent < bodies; sent += 1) {
      const endpoint = by.pick(fuzzed);
      const body = textFor(endpoint.body, '', by);
      const answer = await send(endpoint, body);
      const shown = await answer.text();
      const what = `${endpoint.method} ${endpoint.path} ${body.slice(0, 500)} -> ${shown}`;
      if (answer.status === 204) continue;
      if (answer.status === 200 && endpoint.role === 'operator') done += 1;
      const parsed = JSON.parse(shown) as { detail?: unknown };
      t.true(answer.status < 500, what);
      if (answer.status >= 400) t.truthy(parsed.detail, what);
      t.notRegex(answer.status === 200 ? '' : shown.replaceAll(/"input":"[^"]*"/g, ''), leak, what);
    }
    const [after] = await countAudited();
    t.is((after?.n ?? 0) - (before?.n ?? 0), done);
    t.is((await service.call('GET', '/v1/public/suites')).status, 200);
    t.is((await service.call('GET', `/v1/public/evaluation-runs/${evalRunId}`)).status, 200);
  },
);

test.serial('a reward that no fixed notation can write is refused alone', async (t) => {
  const [task, other] = suite.tasks;
  if (task === undefined || other === undefined) throw new Error('the suite has two tasks');
  const item = episode(evalRunId, { suite, task });
  const rewards = [1e308, 1e-300, 1e-7, 1e21, -1e-7];
  const wrong = rewards.map((reward) => ({ ...item, aggregate_reward: reward }));
  const right = episode(evalRunId, { suite, task: other });
  const answer = await validator.post(resultsPath, { results: [...wrong, right] });
  t.is(answer.status, 200);
  const { results } = (await answer.json()) as { results: { status: number }[] };
  t.deepEqual(
    results.map(({ status }) => status),
    [...rewards.map(() => 422), 201],
  );
});

/** The public list, once it shows what a validator said of its host. */
async function listOnceIt(shows: string): Promise<string> {
  let body = '';
  await until(async () => {
    const answer = await service.call('GET', '/v1/public/validators');
    body = await answer.text();
    if (answer.status !== 200) throw new Error(body);
    return body.includes(shows);
  });
  return body;
}

test.serial('a host that reports a part of itself is still described as promised', async (t) => {
  const heartbeat = `/v1/validator/evaluation-runs/${evalRunId}/heartbeat`;
  t.is((await validator.post(heartbeat, { cpu_pct: 41 })).status, 200);
  const body = await listOnceIt('"cpu_pct":41');
  t.regex(body, /"service_versions":\{/);
  t.regex(body, /"cpu_pct":41/);
});

test.serial('a host that counts its load otherwise keeps its lease', async (t) => {
  const heartbeat = `/v1/validator/evaluation-runs/${evalRunId}/heartbeat`;
  const report = {
    ...{ cpu_pct: 180.2, ram_pct: -0.1, docker_container_count: 2 ** 64 },
    service_versions: { python: 3.11, sandbox: `${'🛒'.repeat(200)}`, 'o\u0000s': 'a\ud800' },
  };
  t.is((await validator.post(heartbeat, report)).status, 200);
  const body = await listOnceIt('"cpu_pct":100');
  t.regex(body, /"cpu_pct":100,"ram_pct":0,.*"docker_container_count":1000000/);
  t.regex(body, /"python":"3.11"/);
  t.regex(body, /"o\ufffds":"a\ufffd"/);
  t.true(body.includes(`"${'🛒'.repeat(128)}"`));
});
