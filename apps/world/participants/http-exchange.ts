import { type IncomingHttpHeaders, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';

export interface HttpQuestion {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

// Deployed validator clients give up after 30 s, so the simulated ones do too.
const timeoutMs = 30_000;

/**
 * One request, one answer; rejects when the connection fails or falls silent. Plain node:http, since
 * it costs a third of `fetch` and two hundred validators share a machine with what they measure.
 */
export function exchange({ method, url, headers, body }: HttpQuestion): Promise<HttpAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
  const send = url.startsWith('https:') ? requestHttps : requestHttp;
  // Node leaves it out of a DELETE, whose body would then be taken for another request.
  const size = body === undefined || body.length === 0 ? {} : lengthOf(body);
  const options: RequestOptions = { method, timeout: timeoutMs, headers: { ...headers, ...size } };
  const request = send(url, options, (response) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('error', reject);
    response.on('end', () => {
      const { statusCode: status = 0, headers: received } = response;
      resolve({ status, headers: received, body: Buffer.concat(chunks) });
    });
  });
  request.on('error', reject);
  request.on('timeout', () => request.destroy(new Error(`no answer within ${timeoutMs} ms`)));
  request.end(body);
  return promise;
}

function lengthOf(body: Uint8Array | string): Record<string, string> {
  return { 'content-length': String(Buffer.byteLength(body)) };
}
