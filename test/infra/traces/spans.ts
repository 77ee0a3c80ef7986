import type { KeptSpan } from '../../../infra/traces/kept-span.ts';

export const idOf = (seed: number | string, digits = 32) =>
  Buffer.from(String(seed)).toString('hex').padStart(digits, '0');

/** A span of a request that took 10 ms and was answered 200; `overrides` say what is different. */
export function span(overrides: Partial<KeptSpan> & { readonly traceId: string }): KeptSpan {
  return {
    spanId: idOf(1, 16),
    parentSpanId: undefined,
    name: 'GET /v1/things',
    kind: 'server',
    process: 'edge-1',
    startMs: 1_000,
    endMs: 1_010,
    isError: false,
    attributes: { 'http.response.status_code': '200' },
    linkedTraceIds: [],
    ...overrides,
  };
}

/** As an exporter posts it. */
export function otlpBody(process: string, spans: readonly object[]) {
  const attributes = [{ key: 'service.name', value: { stringValue: process } }];
  return { resourceSpans: [{ resource: { attributes }, scopeSpans: [{ spans }] }] };
}

export function otlpSpan(overrides: Readonly<Record<string, unknown>> = {}) {
  return {
    traceId: 'a'.repeat(32),
    spanId: 'b'.repeat(16),
    name: 'POST /v1/miner/submit',
    kind: 2,
    startTimeUnixNano: '1700000000000250500',
    endTimeUnixNano: '1700000000012250500',
    attributes: [
      { key: 'http.response.status_code', value: { intValue: 200 } },
      { key: 'url.path', value: { stringValue: '/v1/miner/submit' } },
    ],
    links: [],
    status: { code: 0 },
    ...overrides,
  };
}
