import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type Endpoint, endpoint } from '../../endpoint.ts';
import { PreparedAnswer } from '../../prepared-answer.ts';
import { stablePage } from '../../public-reads/send-representation.ts';
import { apiPage } from './api-page.ts';

/** The list comes as a function, for the route that describes the list is part of it. */
export function describeApi(endpoints: () => readonly Endpoint[]): Endpoint {
  let body: Buffer | undefined;
  return endpoint({
    method: 'get',
    path: '/openapi.json',
    role: 'public',
    owner: 'nobody',
    summary: 'Describe every route, OpenAPI 3.1',
    trafficClass: 2,
    cache: stablePage,
    response: z.record(z.string(), z.unknown()),
    faults: [],
    async handle() {
      if (body === undefined) {
        // Loaded by the first who asks: its writer has many files, which no start should wait for.
        const { openApiDocument } = await import('../../openapi/document.ts');
        body = Buffer.from(JSON.stringify(openApiDocument(endpoints())));
      }
      const headers = { 'Content-Type': 'application/json; charset=utf-8' };
      return new PreparedAnswer({ body, headers, isKept: true });
    },
  });
}

/** What the page is made of and nothing else: its one style, its one script, its one question. */
const pagePolicy = [
  "default-src 'none'",
  `style-src ${hashOf('style')}`,
  `script-src ${hashOf('script')}`,
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

function hashOf(element: 'script' | 'style'): string {
  const text = new RegExp(`<${element}>([\\s\\S]*?)</${element}>`).exec(apiPage)?.[1] ?? '';
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

export const showApi = endpoint({
  method: 'get',
  path: '/docs',
  role: 'public',
  owner: 'nobody',
  summary: 'Show the description to a person',
  trafficClass: 2,
  cache: stablePage,
  response: z.string(),
  responseMediaType: 'text/html',
  faults: [],
  async handle() {
    return new PreparedAnswer({
      body: apiPage,
      headers: {
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Security-Policy': pagePolicy,
      },
    });
  },
});
