import { z } from 'zod';
import type { ZodOpenApiOperationObject } from 'zod-openapi';
import { type Endpoint, heedsRepeats } from '../endpoint.ts';
import { responses } from './responses.ts';
import { securityByRole } from './security.ts';

export function operation(endpoint: Endpoint): ZodOpenApiOperationObject {
  return {
    operationId: operationId(endpoint),
    summary: endpoint.summary,
    tags: [tagOf(endpoint.path)],
    ...(endpoint.deprecated && {
      deprecated: true,
      description: `Replaced by ${endpoint.deprecated.successor}.`,
    }),
    security: securityByRole[endpoint.role],
    requestParams: {
      ...(endpoint.params instanceof z.ZodObject && { path: endpoint.params }),
      ...(endpoint.query instanceof z.ZodObject && { query: endpoint.query }),
      ...(heedsRepeats(endpoint) && { header: repeatHeader }),
    },
    ...requestBody(endpoint),
    responses: responses(endpoint),
  };
}

export function tagOf(path: string): string {
  const [, first, second] = path.split('/');
  return first === 'v1' ? (second ?? 'v1') : 'health';
}

const repeatHeader = z.object({
  'Idempotency-Key': z
    .string()
    .regex(/^[\x21-\x7e]{1,255}$/)
    .optional()
    .meta({ description: 'Repeats under one key are carried out once.' }),
});

function operationId({ method, path }: Endpoint): string {
  const words = path
    .replaceAll(/[{}]/g, '')
    .split(/[/._-]/)
    .filter((word) => word !== '');
  return [method, ...words].join('_');
}

const mediaTypeByKind = {
  json: 'application/json',
  multipart: 'multipart/form-data',
  raw: 'application/gzip',
};

const anyBytes = z.string().meta({ override: { type: 'string', format: 'binary' } });

function requestBody(endpoint: Endpoint): Pick<ZodOpenApiOperationObject, 'requestBody'> {
  const { body, bodyKind = 'json' } = endpoint;
  if (body === undefined && bodyKind === 'json') return {};
  const mediaType = endpoint.requestMediaType ?? mediaTypeByKind[bodyKind];
  const isOptional = body?.safeParse(undefined).success === true;
  const schema = body ?? endpoint.requestShape ?? anyBytes;
  return { requestBody: { required: !isOptional, content: { [mediaType]: { schema } } } };
}
