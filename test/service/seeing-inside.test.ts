/**
 * What an operator sees of a real service, in processes of its own: a request's whole way at the route
 * of traces, the lines that both processes logged of one that failed, and every number that the
 * dashboard and the alarms ask for.
 */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { z } from 'zod';
import { freePort } from '../../infra/local/free-port.ts';
import { counters, gauges, histograms } from '../../infra/ports/metrics.ts';
import { startTraceServer, type TraceServer } from '../../infra/traces/trace-server.ts';
import { caller, TestKey } from '../support/edge-client.ts';
import {
  claimPath,
  episode,
  runPath,
  sendResults,
  submissionForm,
} from '../support/evaluation-client.ts';
import { openSuite, type ServiceWorld, startServiceWorld } from '../support/service-world.ts';
import { okBody } from '../support/trial-suite.ts';
import { until } from '../support/until.ts';
import { shownMetrics } from '../telemetry/shown-metrics.ts';
import { usedMetrics } from '../telemetry/used-metrics.ts';

let traces: TraceServer;
let world: ServiceWorld;
let metricsPorts: readonly number[];
let miner: TestKey;
let other: TestKey;
let validator: TestKey;

/** Of an edge and, next to it, of its coordinator. */
async function neighbouringPorts(): Promise<readonly number[]> {
  for (;;) {
    const first = await freePort();
    try {
      return [first, await freePort(() => first + 1)];
    } catch {
      // The one beside it is somebody's.
    }
  }
}

test.before(async () => {
  [traces, metricsPorts] = await Promise.all([startTraceServer(), neighbouringPorts()]);
  world = await startServiceWorld({
    ...{ edges: 1, coordinators: 1 },
    env: {
      // A token may have colons in it, of which the first alone ends its name.
      OPERATOR_TOKENS: `ops:one:${'t'.repeat(32)}`,
      OTEL_EXPORTER_OTLP_ENDPOINT: traces.url,
      TRACES_URL: traces.url,
      METRICS_PORT: String(metricsPorts[0]),
    },
  });
  const call = caller(world.service.baseUrls[0]);
  const register = async (seed: string, role: 'miner' | 'validator') => {
    const key = new TestKey(seed, call);
    const path = `/v1/admin/chain/registrations/${key.hotkey}`;
    await world.operator.send('PUT', path, { role, stake: 1000 });
    return key;
  };
  [miner, other, validator] = await Promise.all([
    register('a seen miner', 'miner'),
    register('another miner', 'miner'),
    register('a seen validator', 'validator'),
  ]);
});
test.after.always(async () => {
  await world?.[Symbol.asyncDispose]();
  await traces?.stop();
});

const summary = z.looseObject({ trace_id: z.string(), name: z.string(), outcome: z.string() });
const list = z.object({ is_kept: z.boolean(), total: z.number(), traces: z.array(summary) });
const whole = summary.extend({
  processes: z.array(z.string()),
  spans: z.array(
    z.looseObject({ name: z.string(), process: z.string(), parent_span_id: z.string().nullable() }),
  ),
});

const operator = async <T>(schema: z.ZodType<T>, path: string): Promise<T | undefined> => {
  const { baseUrls, operatorToken } = world.service;
  const headers = { authorization: `Bearer ${operatorToken}` };
  const answer = await fetch(`${baseUrls[0]}${path}`, { headers });
  return answer.status === 200 ? schema.parse(await answer.json()) : undefined;
};

function ownTrace() {
  const traceId = randomBytes(16).toString('hex');
  return {
    traceId,
    headers: { traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-01` },
  };
}

test.serial(
  'a submission and a claim are seen at the route, from the edge to the projector',
  async (t) => {
    const { packSha256, tasks } = await openSuite(world, { taskCount: 2, requiredSuccesses: 1 });
    const { traceId, headers } = ownTrace();
    const body = submissionForm({ name: 'seen', file: 'def act(task):\n    return {}\n' });
    const answer = await miner.request('POST', '/v1/miner/submit', { body, headers });
    t.is(answer.headers.get('x-request-id'), traceId);
    await okBody(answer);

    const way: readonly (readonly [string, RegExp])[] = [
      ['edge-1', /^POST \/v1\/miner\/submit$/],
      ['edge-1', /^cmd submit-version$/],
      ['coordinator-1', /^mailbox wait$/],
      ['coordinator-1', /^decide$/],
      ['coordinator-1', /^commit$/],
      ['coordinator-1', /^outbox publish$/],
      ['coordinator-1', /^facts? /],
    ];
    let missing: typeof way = way;
    await until(async () => {
      const seen = await operator(whole, `/v1/admin/traces/${traceId}`);
      const isThere = ([process, name]: (typeof way)[number]) =>
        seen?.spans.some((span) => span.process === process && name.test(span.name)) === true;
      missing = way.filter((step) => !isThere(step));
      return missing.length === 0;
    }).catch(() => undefined);
    t.deepEqual(missing, []);
    const seen = await operator(whole, `/v1/admin/traces/${traceId}`);
    t.deepEqual(seen?.processes, ['coordinator-1', 'edge-1']);
    t.like(seen, { name: 'POST /v1/miner/submit', outcome: 'done', status: 200 });

    let runId = '';
    await until(async () => {
      const claimed = await validator.post(claimPath);
      if (claimed.status !== 200) return false;
      runId = ((await claimed.json()) as { eval_run_id: string }).eval_run_id;
      return true;
    });
    await okBody(await validator.post(runPath(runId, 'heartbeat'), {}));
    const suite = { suiteId: 0, packSha256, tasks: [] };
    const told = { goal_text: '', answer: '' };
    await sendResults(
      validator,
      tasks.map((task) => episode(runId, { suite, task: { ...task, ...told } })),
    );
    const done = { terminal_status: 'SUCCESS', validator_score: 0.5 };
    await okBody(await validator.post(runPath(runId, 'complete'), done));
    const byRun = `/v1/admin/traces?text=${runId}&order=slowest`;
    const names = async () => (await operator(list, byRun))?.traces.map(({ name }) => name) ?? [];
    await until(async () => {
      const found = (await names()).join('\n');
      return /work\/claim/.test(found) && /\/complete/.test(found);
    });
    t.true((await operator(list, `/v1/admin/traces?route=work/claim`))?.is_kept);
  },
);

const logLine = z.looseObject({
  ...{ level: z.string(), process: z.string(), message: z.string() },
  trace_id: z.string().optional(),
});

async function linesOf(process: string): Promise<z.output<typeof logLine>[]> {
  const text = await readFile(join(world.dataDir, 'logs', `${process}.log`), 'utf8');
  const lines = text.split('\n').filter((line) => line.startsWith('{'));
  return lines.map((line) => logLine.parse(JSON.parse(line)));
}

test.serial(
  'what goes wrong with one request is logged by both processes under its trace',
  async (t) => {
    await world.sql`
    create function planted_defect() returns trigger language plpgsql as $$
    begin
      raise exception 'planted' using errcode = 'check_violation', constraint = 'planted';
    end $$`;
    await world.sql`
    create trigger planted_defect before insert on agent_version
      for each row execute function planted_defect()`;
    const { traceId, headers } = ownTrace();
    const body = submissionForm({ name: 'unseen', file: 'def act(task):\n    return {}\n' });
    const answer = await other.request('POST', '/v1/miner/submit', { body, headers });
    await world.sql`drop trigger planted_defect on agent_version`;
    t.is(answer.status, 500);
    t.is(answer.headers.get('x-request-id'), traceId);

    const messages = async (process: string) =>
      (await linesOf(process))
        .filter((line) => line.trace_id === traceId)
        .map((line) => line.message);
    for (const process of ['edge-1', 'coordinator-1']) {
      await until(async () => (await messages(process)).length > 0);
    }
    t.deepEqual(await messages('edge-1'), ['a request failed']);
    t.deepEqual(await messages('coordinator-1'), ['command failed']);
    const failed = '/v1/admin/traces?outcome=failed&route=submit';
    await until(async () =>
      ((await operator(list, failed))?.traces ?? []).some(({ trace_id }) => trace_id === traceId),
    );
  },
);

/** That one afternoon of a healthy service does not show; the registry has them all the same. */
const rare = [
  'paddock_validator_runs_total',
  'paddock_validator_task_duration',
  'paddock_validator_tasks_total',
  'paddock_validator_unsent',
];

const shownName = (name: string) => name.replaceAll('.', '_');

test.serial(
  'every number of the dashboard and the alarms is shown, with the labels that they ask for',
  async (t) => {
    const shown = await shownMetrics(metricsPorts);
    const registered = new Map(
      [
        ...Object.entries(counters).map(
          ([name, about]) => [`${shownName(name)}_total`, about] as const,
        ),
        ...Object.entries({ ...gauges, ...histograms }).map(
          ([name, about]) => [shownName(name), about] as const,
        ),
      ].map(([name, about]): [string, readonly string[]] => [
        name,
        'labels' in about ? [...about.labels].sort() : [],
      ]),
    );
    for (const [name, labels] of shown) t.deepEqual(registered.get(name), labels, name);
    t.deepEqual([...registered.keys()].filter((name) => !shown.has(name)).sort(), rare);
    for (const { metric, labels, where } of await usedMetrics()) {
      const known = registered.get(metric);
      t.not(known, undefined, `${where} asks for ${metric}`);
      for (const label of labels) t.true(known?.includes(label), `${where}: ${metric} by ${label}`);
    }
  },
);
