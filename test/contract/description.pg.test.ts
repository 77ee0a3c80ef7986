import test from 'ava';
import { validationError } from '../spec/answers/errors.ts';
import { covers } from '../spec/covers.ts';
import type { RouteRow } from '../spec/routes/route-row.ts';
import { routeOf, routes } from '../spec/routes.ts';
import { matches } from '../spec/rows.ts';
import { valueLists } from '../spec/values.ts';
import { startTestService, type TestService } from '../support/edge.ts';
import { okBody } from '../support/trial-suite.ts';
import { Comparison, type Description, routesOf } from './description.ts';
import { Witness } from './witness.ts';

// The table of the text beside what the service says of itself: neither may have more than the other.

let service: TestService;
let description: Description;
test.before(async () => {
  service = await startTestService();
  description = await okBody<Description>(await service.call('GET', '/openapi.json'));
});
test.after.always(() => service?.stop());

function differences(...patterns: readonly string[]): readonly string[] {
  const comparison = new Comparison(description);
  for (const [id, row] of routesOf(...patterns)) comparison.route(id, row);
  return comparison.differences;
}

test('public routes are described as the text has them', (t) => {
  t.deepEqual(
    differences(
      'SPEC-PUB-*',
      'CON-4-RACE*',
      'CON-4-FEEDBACK*',
      'CON-8-EVENTS*',
      'OWN-RACE_BUNDLE*',
    ),
    [],
  );
});

test('health, the session and the proxy are described as the text has them', (t) => {
  t.deepEqual(differences('SPEC-HEA-*', 'SPEC-AUTH-*', 'CON-1-*', 'CON-2-*', 'ISS-4-*'), []);
});

test('miners’ routes are described as the text has them', (t) => {
  const ours = ['CON-4-PIN*', 'CON-4-UNPIN', 'CON-4-VERSIONS*', 'CON-4-SUBMIT_CHECK*'];
  t.deepEqual(
    differences(
      'SPEC-MIN-*',
      'CON-4-CREDENTIAL_LIST*',
      'CON-4-ROTATE*',
      'CON-4-DISCONNECT*',
      ...ours,
    ),
    [],
  );
});

test('validators’ routes are described as the text has them', (t) => {
  t.deepEqual(
    differences(
      'SPEC-VAL-*',
      'CON-4-CLAIM_WORK*',
      'CON-4-HEARTBEAT*',
      'CON-4-RUN_TASKS*',
      'CON-4-REPORT_PROGRESS*',
      'CON-4-GIVE_BACK*',
    ),
    [],
  );
});

test('operators’ routes are described as the text has them', (t) => {
  t.deepEqual(
    differences(
      'CON-7-*',
      'CON-8-WEBHOOK*',
      'CON-8-ADD_WEBHOOK*',
      'CON-8-RE*',
      'OWN-CLOCK',
      'OWN-REJUDGINGS*',
      'OWN-PARKED_MESSAGES*',
      'OWN-RESEND_MESSAGE*',
      'OWN-DROP_MESSAGE*',
      'OWN-SIMILARIT*',
      'OWN-TRACE*',
    ),
    [],
  );
});

test('no route is described that is not in the table', (t) => {
  const known = new Set(
    Object.values<RouteRow>(routes).map(({ method, path }) => `${method} ${path}`),
  );
  const described = Object.entries(description.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  t.deepEqual(
    described.filter((route) => !known.has(route)),
    [],
  );
});

test('a submission’s admission has the words of the contract', (t) => {
  covers('CON-3-ADMISSION.*', 'CON-3-ADMISSION_REASON.*');
  const words = JSON.stringify(description);
  const lists = Object.entries(valueLists).filter(([id]) => matches(id, 'CON-3-ADMISSION*'));
  t.is(lists.length, 2);
  for (const [id, { values }] of lists) t.true(words.includes(JSON.stringify(values)), id);
});

test('the description and its page are there', async (t) => {
  for (const id of ['CON-1-OPENAPI', 'CON-1-DOCS'] as const) {
    const answer = await service.call('GET', routeOf(id).path);
    t.is(answer.status, 200);
    await answer.arrayBuffer();
  }
});

test('a validation error names what is wrong, in the array form', async (t) => {
  const answer = await service.call('GET', '/v1/public/leaderboard?limit=0');
  t.is(answer.status, 422);
  const seen = new Witness();
  seen.note(validationError, validationError.parse(await answer.json()));
  seen.requireFields(t, ['SPEC-INVALID.*']);
});
