import { createDocument, type ZodOpenApiOperationObject } from 'zod-openapi';
import type { FaultCode } from '../../../machines/fault.ts';
import { detailOf } from '../../../machines/refusal.ts';
import type { Endpoint } from '../endpoint.ts';
import { wireCodeOf } from '../faults.ts';
import { version } from '../version.ts';
import type { ApiDocument, ErrorExample, Schema } from './api-document.ts';
import { withCurlLines } from './curl-lines.ts';
import { errorSchemaName } from './error-schemas.ts';
import { exampleOf, withExamples } from './examples.ts';
import { operation, tagOf } from './operation.ts';
import { withParameterTexts } from './parameter-texts.ts';
import { generalFaults, possibleFaults } from './possible-faults.ts';
import { headerObjects } from './response-headers.ts';
import { errorResponse } from './responses.ts';
import { securitySchemes } from './security.ts';

const conventions = `A daily race between AI shopping agents.

Instants are RFC 3339 in UTC; ids are UUIDs; scores are numbers in [0, 1]. Unknown fields of a
request are dropped. An error is \`{"detail", "error_code", …}\`, except that what is wrong with a
request itself is 422 with one entry per field. Every answer carries \`X-Request-Id\`.

A path that is not described answers 404 (RouteNotFound), another method on one that is 405
(MethodNotAllowed); HEAD is answered wherever GET is. What is no HTTP request that can be read is
answered 4xx with \`{"detail"}\` alone, and the connection ends.`;

const always = ['X-Request-Id', 'Cache-Control'] as const;

/** OpenAPI 3.1 from the same values that route and validate. */
export function openApiDocument(endpoints: readonly Endpoint[]): ApiDocument {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const endpoint of endpoints) {
    const operations = paths[endpoint.path] ?? {};
    paths[endpoint.path] = operations;
    operations[endpoint.method] = operation(endpoint);
  }
  const document = createDocument({
    openapi: '3.1.0',
    info: { title: 'Paddock', version, description: conventions },
    servers: [{ url: '/', description: 'Whoever answered this' }],
    tags: [...new Set(endpoints.map(({ path }) => tagOf(path)))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes,
      headers: headerObjects,
      responses: {
        MethodNotAllowed: errorResponse(['METHOD_NOT_ALLOWED'], [...always, 'Allow']),
        RouteNotFound: errorResponse(['ROUTE_NOT_FOUND'], always),
      },
    },
  });
  // One object per place, for the steps that follow change it.
  const plain: ApiDocument = JSON.parse(JSON.stringify(document));
  dropMachineBounds(plain.components.schemas, plain.paths);
  withParameterTexts(plain);
  withExamples(plain);
  withCurlLines(plain);
  plain.components.examples = errorExamples(endpoints, plain.components.schemas);
  return plain;
}

/** Every code that some route or the router answers, with an answer of its kind. */
function errorExamples(
  endpoints: readonly Endpoint[],
  schemas: ApiDocument['components']['schemas'],
): Record<string, ErrorExample> {
  const faults = new Set<FaultCode>(generalFaults);
  for (const each of endpoints) for (const fault of possibleFaults(each)) faults.add(fault);
  return Object.fromEntries(
    [...faults].sort().map((fault) => {
      const code = wireCodeOf(fault);
      const schema = { $ref: `#/components/schemas/${errorSchemaName(code)}` };
      return [code, { summary: detailOf(fault), value: exampleOf(schema, '', schemas) }];
    }),
  );
}

/**
 * zod bounds every integer by what a double holds exactly. In answers that says nothing; in requests
 * it stays, for it is checked.
 */
function dropMachineBounds(
  schemas: ApiDocument['components']['schemas'],
  paths: ApiDocument['paths'],
): void {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  walk([Object.values(schemas), operations.map(({ responses }) => responses)]);
}

function walk(node: unknown): void {
  if (typeof node !== 'object' || node === null) return;
  const schema = node as Schema;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  for (const inner of Object.values(node)) walk(inner);
}
