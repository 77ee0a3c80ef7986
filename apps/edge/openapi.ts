import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponsesObject,
} from 'zod-openapi';
import { type Endpoint, heedsRepeats, type Role } from './endpoint.ts';
import { statusByCode } from './faults.ts';
import { version } from './version.ts';

/** OpenAPI 3.1 from the same values that route and validate. */
export function openApiDocument(endpoints: readonly Endpoint[]): object {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const endpoint of endpoints) {
    const operations = paths[endpoint.path] ?? {};
    paths[endpoint.path] = operations;
    operations[endpoint.method] = operation(endpoint);
  }
  return createDocument({
    openapi: '3.1.0',
    info: { title: 'Paddock', version, description: 'A daily race between AI shopping agents.' },
    paths: paths satisfies ZodOpenApiPathsObject,
    components: { securitySchemes },
  });
}

const securitySchemes = {
  session: { type: 'http', scheme: 'bearer', description: 'A token of POST /v1/auth/session' },
  operator: { type: 'http', scheme: 'bearer', description: 'A configured operator token' },
  run: { type: 'http', scheme: 'bearer', description: 'The inference token of a claim' },
  hotkey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Hotkey',
    description: 'SS58 of the signing key',
  },
  timestamp: { type: 'apiKey', in: 'header', name: 'X-Timestamp', description: 'Unix seconds' },
  nonce: { type: 'apiKey', in: 'header', name: 'X-Nonce', description: 'UUID v4, used once' },
  signature: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Signature',
    description: 'sr25519 over {hotkey}:{timestamp}:{nonce}, 0x and 128 hex digits',
  },
} as const;

const hotkeySecurity = [{ session: [] }, { hotkey: [], timestamp: [], nonce: [], signature: [] }];
const securityByRole: Readonly<Record<Role, { [scheme: string]: string[] }[]>> = {
  public: [],
  miner: hotkeySecurity,
  validator: hotkeySecurity,
  hotkey: hotkeySecurity,
  operator: [{ operator: [] }],
  run: [{ run: [] }],
};

function operation(endpoint: Endpoint): ZodOpenApiOperationObject {
  return {
    operationId: operationId(endpoint),
    summary: endpoint.summary,
    tags: [endpoint.path.split('/')[1] === 'v1' ? (endpoint.path.split('/')[2] ?? 'v1') : 'health'],
    ...(endpoint.deprecated && { deprecated: true }),
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

function requestBody(endpoint: Endpoint): Pick<ZodOpenApiOperationObject, 'requestBody'> {
  const { body, bodyKind = 'json' } = endpoint;
  if (body === undefined && endpoint.requestMediaType === undefined) return {};
  const byKind = {
    json: 'application/json',
    multipart: 'multipart/form-data',
    raw: 'application/gzip',
  };
  const mediaType = endpoint.requestMediaType ?? byKind[bodyKind];
  const isOptional = body?.safeParse(undefined).success === true;
  const schema =
    body ??
    endpoint.requestShape ??
    z.string().meta({ override: { type: 'string', format: 'binary' } });
  return { requestBody: { required: !isOptional, content: { [mediaType]: { schema } } } };
}

const codedError = z
  .object({ detail: z.string(), error_code: z.string() })
  .meta({ id: 'Error', description: 'Further fields depend on the code.' });

const validationError = z
  .object({
    detail: z.array(
      z.object({
        loc: z.array(z.string()),
        msg: z.string(),
        type: z.string(),
        input: z.unknown(),
        ctx: z.record(z.string(), z.unknown()),
      }),
    ),
  })
  .meta({ id: 'ValidationError' });

function responses(endpoint: Endpoint): ZodOpenApiResponsesObject {
  const mediaType = endpoint.responseMediaType ?? 'application/json';
  const answers: ZodOpenApiResponsesObject = {
    '200': { description: 'Success', content: { [mediaType]: { schema: endpoint.response } } },
    ...(endpoint.mayBeEmpty === true && { '204': { description: 'Nothing' } }),
  };
  for (const [status, codes] of Object.entries(codesByStatus(endpoint))) {
    const isArray = codes.includes('VALIDATION_FAILED');
    const schema = isArray && codes.length === 1 ? validationError : codedError;
    const mixed = isArray && codes.length > 1 ? z.union([codedError, validationError]) : schema;
    answers[status as '400'] = {
      description: codes.join(', '),
      content: { 'application/json': { schema: mixed } },
    };
  }
  return answers;
}

/** The endpoint's own refusals and those that the framework may answer for it. */
function codesByStatus(endpoint: Endpoint): Record<string, string[]> {
  // Even where nothing is taken, a parameter that comes twice is refused.
  const codes = new Set<keyof typeof statusByCode>([
    ...endpoint.faults,
    'OVERLOADED',
    'VALIDATION_FAILED',
  ]);
  if (endpoint.isUnlimited !== true) codes.add('RATE_LIMITED');
  if (endpoint.body) codes.add('BODY_TOO_LARGE').add('UNSUPPORTED_MEDIA_TYPE');
  if (endpoint.role === 'operator' || endpoint.role === 'run')
    codes.add('MISSING_CREDENTIALS').add('INVALID_SESSION');
  else if (endpoint.role !== 'public') {
    for (const code of hotkeyCodes) codes.add(code);
  }
  return Object.groupBy([...codes].sort(), (code) => String(statusByCode[code])) as Record<
    string,
    string[]
  >;
}

const hotkeyCodes = [
  'MISSING_CREDENTIALS',
  'INVALID_HOTKEY',
  'INVALID_TIMESTAMP',
  'TIMESTAMP_SKEW',
  'INVALID_NONCE',
  'NONCE_REUSED',
  'INVALID_SIGNATURE',
  'INVALID_SESSION',
  'NOT_REGISTERED',
  'WRONG_ROLE',
  'BANNED',
  'CHAIN_UNAVAILABLE',
] as const;
