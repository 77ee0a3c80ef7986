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
    'x-role': endpoint.role,
    ...(endpoint.owner !== undefined && { 'x-owner': endpoint.owner }),
    requestParams: {
      ...(endpoint.params instanceof z.ZodObject && { path: endpoint.params }),
      ...(endpoint.query instanceof z.ZodObject && { query: endpoint.query }),
      ...headerShape(endpoint),
    },
    ...requestBody(endpoint),
    responses: responses(endpoint),
  };
}

export function tagOf(path: string): string {
  const [, first, second] = path.split('/');
  return first === 'v1' ? (second ?? 'v1') : 'health';
}

const idempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/)
  .optional()
  .meta({ description: 'Repeats under one key are carried out once.', examples: ['order-1'] });

const knownTag = z
  .string()
  .optional()
  .meta({ description: 'The ETag of an answer that is still held', examples: ['"5d41402a"'] });

function headerShape(endpoint: Endpoint): { header?: z.ZodObject } {
  const own = endpoint.requestHeaders;
  const shape = {
    ...(heedsRepeats(endpoint) && { 'Idempotency-Key': idempotencyKey }),
    ...(endpoint.cache !== undefined && { 'If-None-Match': knownTag }),
    ...(own instanceof z.ZodObject && own.shape),
  };
  return Object.keys(shape).length === 0 ? {} : { header: z.object(shape) };
}

/** `GET /v1/public/races/{race_id}/bundle` is getPublicRacesBundle, without the last step …ByRaceId. */
function operationId({ method, path }: Endpoint): string {
  const steps = path.split('/').filter((step) => step !== '' && step !== 'v1');
  const last = steps.at(-1);
  const named = steps.filter((step) => !step.startsWith('{') || step === last);
  const words = named.flatMap((step) => step.replace('{', 'by_').split(/\W+|_/));
  const titled = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${method}${titled.join('')}`;
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
  const schema = endpoint.requestShape ?? body ?? anyBytes;
  return { requestBody: { required: !isOptional, content: { [mediaType]: { schema } } } };
}
