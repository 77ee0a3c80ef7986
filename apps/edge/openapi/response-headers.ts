import type { ZodOpenApiHeadersObject } from 'zod-openapi';

/** Every header that an answer may carry beside those of HTTP itself. */
export const headerObjects = {
  'X-Request-Id': {
    description: 'The W3C trace id of the request',
    required: true,
    schema: { type: 'string', pattern: '^[0-9a-f]{32}$' },
    example: '4bf92f3577b34da6a3ce929d0e0e4736',
  },
  'Retry-After': {
    description: 'Seconds after which the same request may succeed',
    required: true,
    schema: { type: 'integer', minimum: 1 },
    example: 2,
  },
  'X-Admission': {
    description: 'Set where the edge turned the request away before it began',
    schema: { type: 'string', const: 'rejected' },
    example: 'rejected',
  },
  Allow: {
    description: 'The methods that the route knows',
    required: true,
    schema: { type: 'string' },
    example: 'GET, HEAD',
  },
  Deprecation: {
    description: 'Since when nobody should begin to use the route: @ and Unix seconds (RFC 9745)',
    required: true,
    schema: { type: 'string', pattern: '^@[0-9]+$' },
    example: '@1767225600',
  },
  Link: {
    description: 'The route that replaces this one, as rel="successor-version"',
    required: true,
    schema: { type: 'string' },
    example: '</v1/miner/inference-auth>; rel="successor-version"',
  },
  ETag: {
    description: 'Names these bytes; sent back in If-None-Match it saves them being sent again',
    schema: { type: 'string' },
    example: '"5d41402abc4b2a76b9719d911017c592"',
  },
  'Cache-Control': {
    description: 'How long the answer may be kept, and by whom',
    required: true,
    schema: { type: 'string' },
    example: 'public, max-age=2, stale-while-revalidate=10',
  },
  Vary: {
    description: 'By which request headers the bytes of the answer differ',
    schema: { type: 'string' },
    example: 'Accept-Encoding',
  },
  'X-Inference-Provider': {
    description: 'Which provider answered',
    schema: { type: 'string' },
    example: 'providera',
  },
} as const;

export type HeaderName = keyof typeof headerObjects;

export function headerRefs(names: readonly HeaderName[]): ZodOpenApiHeadersObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
