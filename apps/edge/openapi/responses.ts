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
  for (const [status, faults] of errorsByStatus([...possibleFaults(endpoint)])) {
    const isSuccessToo = endpoint.alsoUnder?.includes(Number(status)) === true;
    const other = isSuccessToo ? endpoint.response : undefined;
    answers[status] = errorResponse(faults, headers, other);
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
    description: codes.join(', '),
    headers: headerRefs([...headers, ...faultHeaders(faults)]),
    content: {
      'application/json': {
        schema: first !== undefined && all.length === 1 ? first : z.union(all),
        examples: Object.fromEntries(
          codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]),
        ),
      },
    },
  };
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
  return ['X-Request-Id', ...(deprecated ? (['Deprecation', 'Link'] as const) : [])];
}

function successes(endpoint: Endpoint, names: readonly HeaderName[]): ZodOpenApiResponsesObject {
  const mediaType = endpoint.responseMediaType ?? 'application/json';
  const headers = headerRefs(names);
  const content = { [mediaType]: { schema: endpoint.response } };
  const others = (endpoint.alsoUnder ?? []).map((status) => {
    const description = status < 300 ? 'Success' : 'As somebody else answered it';
    return [String(status), { description, headers, content }];
  });
  return {
    '200': { description: 'Success', headers, content },
    ...Object.fromEntries(others),
    ...(endpoint.mayBeEmpty === true && { '204': { description: 'Nothing', headers } }),
  };
}
