import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { operatorRoutes } from '../../../apps/cli/client/operator-routes.generated.ts';
import { commands } from '../../../apps/cli/commands.ts';
import { operatorNames } from '../../../apps/cli/operator/names.ts';
import type { OperatorRoute } from '../../../apps/cli/operator/operator-route.ts';
import { endpoints } from '../../../apps/edge/routes/index.ts';
import { writeDemoPack } from '../../../apps/world/demo/demo-pack.ts';
import { startTestService, type TestService } from '../../support/edge.ts';
import { paddockLines } from '../../support/paddock-line.ts';

let service: TestService;
let folder: string;
let pack: string;
test.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paddock-operator-'));
  service = await startTestService();
  pack = (await writeDemoPack(folder)).path;
});
test.after.always(async () => {
  await service?.stop();
  await rm(folder, { recursive: true, force: true });
});

const lines = (isLive = false) =>
  paddockLines({
    variables: {
      PADDOCK_URL: service.baseUrl,
      PADDOCK_OPERATOR_TOKEN: service.operatorToken,
      PADDOCK_CONFIG_DIR: folder,
    },
    isLive,
  });

// From the routes themselves, not from what is generated of them.
test('each route of operators has a command, and no command is without a route', (t) => {
  const served = endpoints
    .filter(({ role }) => role === 'operator')
    .map(({ method, path }) => `${method.toUpperCase()} ${path}`);
  const commanded = Object.entries(operatorNames).map(([operation, name]) => {
    const route: OperatorRoute = operatorRoutes[operation as keyof typeof operatorNames];
    t.true(
      commands.some((command) => command.name === `operator ${name}`),
      name,
    );
    return `${route.method} ${route.path}`;
  });

  t.true(served.length > 30);
  t.deepEqual(commanded.toSorted(), served.toSorted());
  t.is(new Set(Object.values(operatorNames)).size, commanded.length, 'two have one name');
});

const hotkey = '5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY';
const bob = '5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty';
const valueByPlace: Readonly<Record<string, string>> = {
  HOTKEY: hotkey,
  ROLE: 'miner',
  SUITE_ID: '999',
  ID: 'nobody',
  SECONDS: '5',
  CURSOR: '0',
  TRACE_ID: 'ab'.repeat(16),
  URL: 'https://hooks.example/paddock',
};
/** Where a line without them asks for nothing. */
const optionsByName: Readonly<Record<string, readonly string[]>> = {
  'change-policy': ['--race-tasks', '80'],
  'create-suite': [
    ...['--benchmark-name', 'Line', '--benchmark-number', '1'],
    ...['--execution-kind', 'legacy_benchmark', '--problems', '[{"metadata": {}}]'],
  ],
  rejudge: ['--phase', 'QUALIFYING'],
};

/** Else what it is about does not exist, and only its own route can know that. */
const refusalByName: Readonly<Record<string, RegExp>> = {
  'advance-clock': /"code":"CLOCK_IS_REAL"/,
  rejudge: /selects no run that may be judged again/,
};

for (const [operation, name] of Object.entries(operatorNames)) {
  const route: OperatorRoute = operatorRoutes[operation as keyof typeof operatorNames];
  test(`operator ${name} reaches its route`, async (t) => {
    const command = commands.find((each) => each.name === `operator ${name}`);
    // Lines run at once, and whoever registers a hotkey is told if another order changed it meanwhile.
    const values = name === 'unregister' ? { ...valueByPlace, HOTKEY: bob } : valueByPlace;
    const places = (command?.places ?? []).map(({ name: place }) =>
      place === 'FILE' ? pack : (values[place] ?? randomUUID()),
    );
    const reason = route.fields.some((field) => field.name === 'reason') ? ['--reason', 'why'] : [];

    const options = [...(optionsByName[name] ?? []), ...reason, '--json'];

    const { code, out, error } = await lines()('operator', name, ...places, ...options);

    if (code === 0) t.notThrows(() => JSON.parse(out));
    else t.regex(error, refusalByName[name] ?? /"code":"(?!ROUTE)\w+_NOT_FOUND"/);
  });
}

test('an order is carried out once under its key, and stands in the audit log with its reason', async (t) => {
  const line = lines();
  const order = ['operator', 'ban', bob, '--reason', 'copied code', '--idempotency-key', 'once'];
  const [first, again] = [await line(...order), await line(...order)];

  t.is(first.code, 0, first.error);
  t.is(again.out, first.out);
  t.regex(first.out, /^hotkey +5FHneW\w+\nbanned +yes\nreason +copied code\nbanned at +2\d{3}-/);
  const log = await line('operator', 'audit-log', '--limit', '100');
  t.is(log.out.match(/copied code/g)?.length, 1, log.out);
});

test('a suite is made of a file, and policy takes numbers and null', async (t) => {
  const line = lines();
  const body = join(folder, 'suite.json');
  await writeFile(
    body,
    JSON.stringify({
      ...{ benchmark_name: 'From a file', benchmark_number: 1 },
      ...{ execution_kind: 'legacy_benchmark', problems: [{ metadata: { title: 'one' } }] },
    }),
  );
  const made = await line('operator', 'create-suite', '--body', body, '--benchmark-number', '2');
  t.is(made.code, 0, made.error);
  t.regex(made.out, /benchmark name +From a file\nbenchmark number +2/);

  const changed = await line(
    'operator',
    'change-policy',
    '--qualifying-threshold',
    '0.4',
    '--json',
  );
  t.is(JSON.parse(changed.out).qualifying_threshold, 0.4);
  const back = await line('operator', 'change-policy', '--qualifying-threshold', 'null', '--json');
  t.is(JSON.parse(back.out).overrides.qualifying_threshold, null);
  const wrong = await line('operator', 'change-policy', '--qualifying-threshold', 'low');
  t.deepEqual(wrong, {
    ...{ code: 2, out: '' },
    error: 'paddock: qualifying_threshold must be a number, not "low"\n',
  });
});

test('a person sees a pack go', async (t) => {
  const reason = ['--reason', 'for the new suite'];
  const { code, out, error } = await lines(true)('operator', 'upload-pack', pack, ...reason);

  t.is(code, 0, error);
  t.regex(out, /pack sha256 +[0-9a-f]{64}/);
  const log = await lines()('operator', 'audit-log', '--limit', '500');
  t.regex(log.out, /pack\.register.*for the new suite/s);
  t.regex(error, /corner-shop\.tar\.gz {2}█{24} 100 % {2}\d+\.\d kB\n/);
});

test('what is no file is not sent as a pack, and is told as by submit', async (t) => {
  for (const [path, what] of [
    [folder, 'it is a folder'],
    ['/dev/null', 'it is no file'],
  ] as const) {
    const upload = await lines()('operator', 'upload-pack', path, '--reason', 'why');
    t.deepEqual(upload, { code: 1, out: '', error: `paddock: ${path}: ${what}\n` });
  }
  const submission = await lines()('submit', folder, '--name', 'a', '--token', 'x');
  t.is(submission.error, `paddock: ${folder}: it is a folder\n`);
  t.is(submission.code, 1);
});

test('a wrong token and none at all are exit code 3, and say what to do', async (t) => {
  const wrong = await lines()('operator', 'overview', '--token', 'x'.repeat(40));
  t.is(wrong.code, 3);
  const variables = { PADDOCK_URL: service.baseUrl, PADDOCK_CONFIG_DIR: folder };
  const none = await paddockLines({ variables })('operator', 'overview');
  t.is(none.code, 3);
  t.regex(none.error, /Set PADDOCK_OPERATOR_TOKEN/);
});
