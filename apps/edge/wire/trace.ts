import { z } from 'zod';
import { instant } from './instant.ts';

const outcome = z.enum(['done', 'refused', 'failed']);
const milliseconds = z.number().min(0);
const hexId = (digits: number) =>
  z.string().meta({ override: { type: 'string', pattern: `^[0-9a-f]{${digits}}$` } });

export const traceOutcome = outcome;

/** 32 hex digits: what a request was answered as `X-Request-Id`, and log lines call `trace_id`. */
export const traceId = z.string().regex(/^[0-9a-f]{32}$/, 'must be 32 lower-case hex digits');

const summary = {
  trace_id: hexId(32),
  name: z.string(),
  outcome,
  /** Of HTTP; null where the trace began with nobody's request. */
  status: z.number().int().nullable(),
  fault: z.string().nullable(),
  started_at: instant,
  /** Of what it began with: so long a caller waited. */
  duration_ms: milliseconds,
  span_count: z.number().int(),
  processes: z.array(z.string()),
};

const span = z.object({
  span_id: hexId(16),
  parent_span_id: hexId(16).nullable(),
  /** Of another trace where that one's work was done for several at once. */
  trace_id: hexId(32),
  name: z.string(),
  kind: z.enum(['internal', 'server', 'client', 'producer', 'consumer']),
  process: z.string(),
  /** After the first span began. */
  offset_ms: milliseconds,
  duration_ms: milliseconds,
  is_error: z.boolean(),
  attributes: z.record(z.string(), z.string()),
});

export const traceSummary = z.object(summary).meta({ id: 'TraceSummary' });

export const trace = z
  .object({ ...summary, dropped_spans: z.number().int(), spans: z.array(span) })
  .meta({ id: 'Trace' });
