import { z } from 'zod';
import { type KeptSpan, spanKinds } from './kept-span.ts';

const id = (digits: number) => z.string().regex(new RegExp(`^[0-9a-f]{${digits}}$`));
const nanoseconds = z.union([z.string().regex(/^\d{1,20}$/), z.number().int().min(0)]);

const attribute = z.object({ key: z.string(), value: z.record(z.string(), z.unknown()) });
const attributes = z.array(attribute).default([]);

const span = z.object({
  traceId: id(32),
  spanId: id(16),
  parentSpanId: id(16).or(z.literal('')).optional(),
  name: z.string(),
  kind: z.number().int().default(1),
  startTimeUnixNano: nanoseconds,
  endTimeUnixNano: nanoseconds,
  attributes,
  links: z.array(z.object({ traceId: id(32) })).default([]),
  status: z.object({ code: z.number().int().optional() }).optional(),
});

/** What an exporter of OpenTelemetry posts to `/v1/traces` as JSON, as far as it is kept. */
const exported = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes }).optional(),
      scopeSpans: z.array(z.object({ spans: z.array(span) })),
    }),
  ),
});

/** A span that says more than this is cut: it is for reading, and memory is bounded. */
const attributesMax = 32;
const textMax = 300;

/** Undefined when it is no such thing. */
export function readOtlpSpans(body: unknown): KeptSpan[] | undefined {
  const read = exported.safeParse(body);
  if (!read.success) return undefined;
  return read.data.resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const process = textsOf(resource?.attributes ?? [])['service.name'] ?? '';
    return scopeSpans.flatMap(({ spans }) => spans.map((each) => keptSpan(each, process)));
  });
}

function keptSpan(given: z.output<typeof span>, process: string): KeptSpan {
  const { traceId, spanId, name, kind, status, links } = given;
  return {
    ...{ traceId, spanId, process, name: cut(name) },
    parentSpanId: given.parentSpanId || undefined,
    kind: spanKinds[kind - 1] ?? 'internal',
    startMs: millisecondsOf(given.startTimeUnixNano),
    endMs: millisecondsOf(given.endTimeUnixNano),
    isError: status?.code === errorStatus,
    attributes: textsOf(given.attributes),
    linkedTraceIds: [...new Set(links.map((link) => link.traceId))].filter((id) => id !== traceId),
  };
}

/** STATUS_CODE_ERROR. */
const errorStatus = 2;

/** To the microsecond: beyond that a number of this size has no digits left. */
function millisecondsOf(nanos: string | number): number {
  return Number(BigInt(nanos) / 1_000n) / 1_000;
}

function textsOf(given: z.output<typeof attributes>): Record<string, string> {
  return Object.fromEntries(
    given.slice(0, attributesMax).map(({ key, value }) => [cut(key), cut(textOf(value))]),
  );
}

/** `{ stringValue: 'x' }`, `{ intValue: 3 }` … : one field, whatever it is called. */
function textOf(value: Readonly<Record<string, unknown>>): string {
  const [held] = Object.values(value);
  return typeof held === 'object' ? JSON.stringify(held) : String(held ?? '');
}

function cut(text: string): string {
  return text.length > textMax ? `${text.slice(0, textMax)}…` : text;
}
