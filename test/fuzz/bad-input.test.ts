import test from 'ava';
import { startTestService, type TestService } from '../support/edge.ts';
import { badTexts, badValues } from './bad-spellings.ts';
import { DescribedApi, type Operation } from './described-api.ts';
import { Dice } from './dice.ts';
import { People } from './people.ts';
import { KnownValues, Values } from './values.ts';

let service: TestService;
let api: DescribedApi;
let people: People;
let values: Values;
test.before(async () => {
  service = await startTestService();
  const document = await (await service.call('GET', '/openapi.json')).json();
  const dice = new Dice(7);
  api = new DescribedApi(document);
  people = new People(service, dice, new KnownValues());
  await people.tend();
  // Nothing that exists is named: whatever passes is refused as unknown.
  const known = new KnownValues();
  known.note('hotkey', service.stranger('nobody').hotkey);
  values = new Values(api, dice, { known, knownShare: 1 });
});
test.after.always(() => service?.stop());

interface Sent {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: string;
  /** As JSON text; undefined sends none. */
  readonly body?: string | undefined;
}

/** Right but for what `sent` says; answers the places that a 422 names, or why it is none. */
async function placesRefused(
  operation: Operation,
  sent: Sent,
): Promise<readonly string[] | string> {
  const target = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const schema = operation.parameters.find((each) => each.name === name)?.schema ?? {};
    return encodeURIComponent(sent.path?.[name] ?? String(values.valid(schema, name)));
  });
  const required = operation.parameters
    .filter((each) => each.in === 'query' && each.required)
    .map(({ name, schema }) => `${name}=${encodeURIComponent(String(values.valid(schema, name)))}`);
  const query = sent.query ?? required.join('&');
  const answer = await service.call(operation.method.toUpperCase(), `${target}?${query}`, {
    body: sent.body,
    headers: {
      ...people.credentialsFor(operation, false),
      ...(sent.body !== undefined && { 'content-type': 'application/json' }),
    },
  });
  const text = await answer.text();
  if (answer.status !== 422) return `${answer.status} ${text.slice(0, 200)}`;
  const { detail } = JSON.parse(text) as { detail: unknown };
  if (!Array.isArray(detail)) return text;
  return detail.map(({ loc }: { loc: readonly string[] }) => loc.slice(0, 2).join('.'));
}

const isAsked = ({ security }: Operation) => !security.includes('run');

test('a path parameter is taken in its own spelling only', async (t) => {
  const taken: string[] = [];
  let asked = 0;
  for (const operation of api.operations.filter(isAsked)) {
    for (const { name, schema } of operation.parameters.filter((each) => each.in === 'path')) {
      for (const text of badTexts(schema)) {
        // An empty step is another route.
        if (text === '') continue;
        const places = await placesRefused(operation, { path: { [name]: text } });
        t.true(
          places.includes(`path.${name}`),
          `${operation.id} ${JSON.stringify(text)}: ${places}`,
        );
        asked += 1;
      }
    }
  }
  t.deepEqual(taken, []);
  t.true(asked > 200);
});

test('a query parameter is taken once, in its own spelling and within its bounds', async (t) => {
  const taken: string[] = [];
  let asked = 0;
  for (const operation of api.operations.filter(isAsked)) {
    for (const { name, schema } of operation.parameters.filter((each) => each.in === 'query')) {
      const right = encodeURIComponent(String(values.valid(schema, name)));
      const queries = [
        ...badTexts(schema).map((text) => `${name}=${encodeURIComponent(text)}`),
        `${name}=${right}&${name}=${right}`,
      ];
      for (const query of queries) {
        const places = await placesRefused(operation, { query });
        if (!places.includes(`query.${name}`)) taken.push(`${operation.id} ${query}: ${places}`);
        asked += 1;
      }
      const bracketed = await placesRefused(operation, { query: `${name}[]=${right}` });
      if (!bracketed.includes(`query.${name}[]`))
        taken.push(`${operation.id} ${name}[]: ${bracketed}`);
    }
  }
  t.deepEqual(taken, []);
  t.true(asked > 100);
});

/** Texts that the contract answers with a code of their own. */
const ownAnswers: Readonly<Record<string, RegExp>> = {
  'postPublicArtifactsDownloadUrl artifact_type': /^400 .*"INVALID_ARTIFACT_TYPE"/,
};

test('a body field is taken in its own type and within its bounds, and must be there if it must', async (t) => {
  const taken: string[] = [];
  let asked = 0;
  for (const operation of api.operations.filter(isAsked)) {
    for (const { name, body } of wrongFields(operation)) {
      const places = await placesRefused(operation, { body });
      asked += 1;
      if (places.includes(`body.${name}`)) continue;
      const own = ownAnswers[`${operation.id} ${name}`];
      if (typeof places === 'string' && own?.test(places)) continue;
      taken.push(`${operation.id} ${body.slice(0, 200)}: ${places}`);
    }
  }
  t.deepEqual(taken, []);
  t.true(asked > 300);
});

/** Bodies that are right but for one field, which is wrong or, where it is required, absent. */
function* wrongFields({ body }: Operation): Generator<{ readonly name: string; body: string }> {
  if (body?.mediaType !== 'application/json') return;
  const schema = objectOf(body.schema);
  for (const [name, property] of Object.entries(schema?.properties ?? {})) {
    for (const value of badValues(api, property)) {
      yield { name, body: JSON.stringify({ ...required(schema, name), [name]: value }) };
    }
    if (schema?.required?.includes(name) !== true) continue;
    yield { name, body: JSON.stringify(required(schema, name)) };
  }
}

test('a body is the JSON value that is described, or a 422 says so', async (t) => {
  const taken: string[] = [];
  for (const operation of api.operations.filter(isAsked)) {
    const { body } = operation;
    if (body?.mediaType !== 'application/json') continue;
    const whole = badValues(api, body.schema).map((value) => JSON.stringify(value));
    for (const sent of [
      ...whole,
      '{',
      'nul',
      '{"a":}',
      '\u0000',
      ...(body.isRequired ? [''] : []),
    ]) {
      const places = await placesRefused(operation, { body: sent });
      if (!places.includes('body')) taken.push(`${operation.id} ${sent.slice(0, 100)}: ${places}`);
    }
  }
  t.deepEqual(taken, []);
});

/** The object among the alternatives of a body. */
function objectOf(schema: Parameters<DescribedApi['resolved']>[0]) {
  const resolved = api.resolved(schema);
  const parts = resolved.anyOf ?? resolved.oneOf ?? [resolved];
  return parts.map((part) => api.resolved(part)).find(({ properties }) => properties !== undefined);
}

/** Every required field but the one. */
function required(schema: ReturnType<typeof objectOf>, without: string): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const name of schema?.required ?? []) {
    const property = schema?.properties?.[name];
    if (name !== without && property !== undefined) fields[name] = values.valid(property, name);
  }
  return fields;
}
