import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import test from 'ava';
import { episodeItem } from '../../../apps/edge/evaluation/episode-item.ts';
import { OpenAnswers } from '../../../apps/edge/open-answers.ts';
import {
  type ApiDocument,
  type Content,
  operationsOf,
  type Schema,
} from '../../../apps/edge/openapi/api-document.ts';
import { openApiDocument } from '../../../apps/edge/openapi/document.ts';
import { errorSchemaName } from '../../../apps/edge/openapi/error-schemas.ts';
import { possibleFaults } from '../../../apps/edge/openapi/possible-faults.ts';
import { endpoints } from '../../../apps/edge/routes/index.ts';
import { createApp, type EdgeServerOptions } from '../../../apps/edge/server.ts';
import { faultCodes } from '../../../machines/fault.ts';
import { episodeOutcomes } from '../../../machines/types.ts';

const document = openApiDocument(endpoints);
const operations = operationsOf(document);

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema({ $id: 'paddock', components: document.components });

/** What is wrong with a value, by the document's own schema for it. */
function faultsIn(value: unknown, schema: Schema): string {
  // References are to the document as a whole.
  const text = JSON.stringify(schema).replaceAll('"#/components', '"paddock#/components');
  const validate = ajv.compile(JSON.parse(text) as object);
  return validate(value) ? '' : ajv.errorsText(validate.errors);
}

test('a public validator finds nothing wrong with the description', async (t) => {
  const validator = new Validator();
  const copy = JSON.parse(JSON.stringify(document)) as Record<string, unknown>;
  const { valid, errors } = await validator.validate(copy);
  t.true(valid, JSON.stringify(errors));
  t.is(validator.version, '3.1');
});

test('the public validator refuses a description with a response that has no description', async (t) => {
  const copy = JSON.parse(JSON.stringify(document)) as ApiDocument;
  const answers = copy.paths['/health']?.['get']?.responses as Record<string, object>;
  answers['200'] = {};
  const { valid } = await new Validator().validate(copy as unknown as Record<string, unknown>);
  t.false(valid);
});

test('the router knows the described routes and no others', (t) => {
  const options = { endpoints } as unknown as EdgeServerOptions;
  const { router } = createApp(options, {
    draining: false,
    healthChecks: 0,
    open: new OpenAnswers(),
    pace: { watch: () => undefined },
  });
  const routed = router.stack.flatMap(({ route }) =>
    (route?.stack ?? [])
      .filter(({ method }) => method !== undefined)
      .map(({ method }) => `${method} ${route?.path.replaceAll(/:(\w+)/g, '{$1}')}`),
  );
  t.deepEqual(routed.sort(), operations.map(({ method, path }) => `${method} ${path}`).sort());
});

test('an item of results is described in full', (t) => {
  const path = '/v1/validator/episode-results';
  const described = operations.find((each) => each.path === path)?.operation.requestBody?.content;
  const { results } = described?.['application/json']?.schema.properties ?? {};
  t.like(results, { minItems: 1, maxItems: 500 });
  const [, name = ''] = /^#\/components\/schemas\/(\w+)$/.exec(results?.items?.$ref ?? '') ?? [];
  const item = document.components.schemas[name];
  t.deepEqual(item?.required?.toSorted(), Object.keys(episodeItem.shape).toSorted());
  t.deepEqual(item?.properties?.['outcome']?.enum, [...episodeOutcomes]);
  t.regex(item?.properties?.['aggregate_reward']?.description ?? '', /at most six places/);
});

test('every parameter has a text and an example that its schema allows', (t) => {
  for (const { path, operation } of operations) {
    for (const { name, description, example, schema } of operation.parameters ?? []) {
      t.truthy(description, `${path} ${name}`);
      t.not(example, undefined, `${path} ${name}`);
      t.is(faultsIn(example, schema), '', `${path} ${name}`);
    }
  }
});

function contents(): [place: string, content: Content][] {
  return operations.flatMap(({ method, path, operation }) => {
    const { requestBody, responses } = operation;
    const answers = Object.entries(responses).map(
      ([status, { content }]) => [`${method} ${path} ${status}`, content ?? {}] as const,
    );
    const asked = [[`${method} ${path} body`, requestBody?.content ?? {}] as const];
    return [...answers, ...asked].map(([place, content]): [string, Content] => [place, content]);
  });
}

test('every body and answer has an example that its schema allows', (t) => {
  for (const [place, content] of contents()) {
    for (const { schema, example, examples } of Object.values(content)) {
      if (examples === undefined) t.is(faultsIn(example, schema), '', place);
      for (const code of Object.keys(examples ?? {})) {
        t.true(code in document.components.examples, `${place} ${code}`);
        t.true(JSON.stringify(schema).includes(`/schemas/${errorSchemaName(code)}"`), place);
      }
    }
  }
  for (const [code, { value }] of Object.entries(document.components.examples)) {
    const $ref = `#/components/schemas/${errorSchemaName(code)}`;
    t.is(faultsIn(value, { $ref }), '', code);
  }
});

test('the edge itself takes the example of every request', (t) => {
  for (const endpoint of endpoints) {
    const operation = document.paths[endpoint.path]?.[endpoint.method];
    const given = (place: string) =>
      Object.fromEntries(
        (operation?.parameters ?? [])
          .filter((each) => each.in === place)
          .map(({ name, example }) => [name, String(example)]),
      );
    const body = operation?.requestBody?.content['application/json']?.example;
    for (const [shape, value] of [
      [endpoint.params, given('path')],
      [endpoint.query, given('query')],
      [endpoint.body, body],
    ] as const) {
      const parsed = shape?.safeParse(value);
      t.true(parsed?.success !== false, `${endpoint.path}: ${parsed?.error?.message}`);
    }
  }
});

test('every answer of a status is one of its errors, each with its own code', (t) => {
  for (const endpoint of endpoints) {
    const responses = document.paths[endpoint.path]?.[endpoint.method]?.responses ?? {};
    const described = Object.values(responses).flatMap(({ content }) =>
      Object.keys(content?.['application/json']?.examples ?? {}),
    );
    t.is(described.length, possibleFaults(endpoint).size, endpoint.path);
    for (const name of ['X-Request-Id', ...(endpoint.deprecated ? ['Deprecation', 'Link'] : [])]) {
      for (const [status, { headers = {} }] of Object.entries(responses)) {
        t.true(name in headers, `${endpoint.path} ${status} ${name}`);
        t.is('Retry-After' in headers, /^(429|503)$/.test(status), `${endpoint.path} ${status}`);
      }
    }
  }
});

test('every code that there is can be answered somewhere', (t) => {
  const answered = new Set<string>(['METHOD_NOT_ALLOWED', 'ROUTE_NOT_FOUND']);
  for (const each of endpoints) for (const fault of possibleFaults(each)) answered.add(fault);
  t.deepEqual(
    faultCodes.filter((code) => !answered.has(code)),
    [],
  );
});
