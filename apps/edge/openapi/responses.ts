import { z } from 'zod';
import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import type { FaultCode } from '../../../machines/fault.ts';
import type { Endpoint } from '../endpoint.ts';
import { statusByCode, wireCodeOf } from '../faults.ts';
import { errorSchema } from './error-schemas.ts';
import { possibleFaults } from './possible-faults.ts';
import { type HeaderName, headerRefs } from './response-headers.ts';

type Status = `${1 | 2 | 3 | 4 | 5}${string}`;

/** Every answer of the endpoint: its success, and per status the errors that it may give. */
export function responses(endpoint: Endpoint): ZodOpenApiResponsesObject {
  const headers = commonHeaders(endpoint);
  const answers: ZodOpenApiResponsesObject = successes(endpoint, headers);
  const faultsByStatus = errorsByStatus([...possibleFaults(endpoint)]);
  const passed = (endpoint.alsoUnder ?? []).filter((status) => status >= 300);
  const statuses = new Set([
    ...faultsByStatus.keys(),
    ...passed.map((each) => `${each}` as Status),
  ]);
  for (const status of [...statuses].sort()) {
    const other = passed.includes(Number(status)) ? endpoint.response : undefined;
    answers[status] = errorResponse(faultsByStatus.get(status) ?? [], headers, other);
  }
  return answers;
}

/** @param other what comes under the same status and is no error */
export function errorResponse(
  faults: readonly FaultCode[],
  headers: readonly HeaderName[],
  other?: z.ZodType,
): ZodOpenApiResponseObject {
  const codes = faults.map(wireCodeOf);
  const schemas = faults.map(errorSchema);
  const all = other === undefined ? schemas : [other, ...schemas];
  const [first] = all;
  return {
    description: codes.join(', ') || 'As the answer itself says',
    headers: headerRefs([...headers, ...faultHeaders(faults)]),
    content: {
      'application/json': {
        schema: first !== undefined && all.length === 1 ? first : z.union(all),
        ...(codes.length > 0 && { examples: exampleRefs(codes) }),
      },
    },
  };
}

function exampleRefs(codes: readonly string[]) {
  return Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]));
}

function errorsByStatus(faults: readonly FaultCode[]): Map<Status, FaultCode[]> {
  const sorted = faults.toSorted();
  return Map.groupBy(sorted, (fault) => `${statusByCode[fault]}` as const);
}

function faultHeaders(faults: readonly FaultCode[]): HeaderName[] {
  const isTemporary = faults.some((fault) => [429, 503].includes(statusByCode[fault]));
  const isShed = faults.includes('OVERLOADED');
  return [
    ...(isTemporary ? ['Retry-After' as const] : []),
    ...(isShed ? ['X-Admission' as const] : []),
  ];
}

function commonHeaders({ deprecated }: Endpoint): HeaderName[] {
  const always = ['X-Request-Id', 'Cache-Control'] as const;
  return [...always, ...(deprecated ? (['Deprecation', 'Link'] as const) : [])];
}

function successes(endpoint: Endpoint, common: readonly HeaderName[]): ZodOpenApiResponsesObject {
  const { alsoAs, alsoUnder = [], cache, mayBeEmpty, response, role } = endpoint;
  const mediaType = endpoint.responseMediaType ?? 'application/json';
  const tagged = cache === undefined ? [] : (['ETag', 'Vary'] as const);
  const told = role === 'run' ? (['X-Inference-Provider'] as const) : [];
  const headers = headerRefs([...common, ...tagged, ...told]);
  const content = {
    [mediaType]: { schema: response },
    ...(alsoAs !== undefined && { [alsoAs]: { schema: z.string() } }),
  };
  const success = { description: 'Success', headers, content };
  const others = alsoUnder.filter((status) => status < 300);
  return {
    '200': success,
    ...Object.fromEntries(others.map((status) => [String(status), success])),
    ...(mayBeEmpty === true && { '204': { description: 'Nothing', headers } }),
    ...(cache !== undefined && {
      '304': { description: 'What the tag names still holds', headers },
    }),
  };
}
