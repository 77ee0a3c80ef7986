import type { z } from 'zod';
import type { Fault } from '../../machines/fault.ts';
import { glimpse, refusal } from '../../machines/refusal.ts';
import { safeParse } from './safe-parse.ts';

/** One entry of the 422 body, in the shape that deployed clients parse. */
export interface ValidationIssue {
  readonly loc: readonly string[];
  readonly msg: string;
  readonly type: string;
  readonly input: unknown;
  readonly ctx: Readonly<Record<string, unknown>>;
}

export type RequestPart = 'body' | 'header' | 'path' | 'query';

/** The array form of 422; the edge shows `errors` as `detail`. */
export function invalidRequest(issues: readonly ValidationIssue[]): Fault {
  return refusal('VALIDATION_FAILED', { extras: { errors: issues } });
}

/** For a handler that finds something wrong which no schema can see. */
export function invalidField(loc: readonly string[], msg: string, type = 'value_error'): Fault {
  return invalidRequest([{ loc, msg, type, input: null, ctx: {} }]);
}

/** Parses or throws the 422; fields that the schema does not know are dropped by it. */
export function parsePart<T>(schema: z.ZodType<T>, value: unknown, part: RequestPart): T {
  const parsed = safeParse(schema, value);
  if (parsed.success) return parsed.data;
  throw invalidRequest(
    parsed.error.issues.slice(0, issuesShownMax).map((issue) => shown(issue, part)),
  );
}

const issuesShownMax = 50;

function shown(issue: z.core.$ZodIssue, part: RequestPart): ValidationIssue {
  const loc = [part, ...issue.path.map(String)];
  return {
    loc,
    msg: issue.message,
    type: issue.code ?? 'custom',
    input: shownInput(issue.input, loc),
    ctx: context(issue),
  };
}

const secretField = /signature|challenge|credential|token|authorization|secret|password/i;

/** Only plain values come back: whole objects could hold a secret or a field that we never read. */
function shownInput(input: unknown, loc: readonly string[]): unknown {
  if (loc.some((step) => secretField.test(step))) return '[redacted]';
  // In the place of a whole body: nobody can say what it was meant for.
  if (loc.length === 1) return null;
  if (typeof input === 'string') return glimpse(input);
  if (typeof input === 'number') return Number.isFinite(input) ? input : String(input);
  return typeof input === 'boolean' ? input : null;
}

function context(issue: z.core.$ZodIssue): Record<string, unknown> {
  switch (issue.code) {
    case 'too_small':
      return { minimum: Number(issue.minimum) };
    case 'too_big':
      return { maximum: Number(issue.maximum) };
    case 'invalid_type':
      return { expected: issue.expected };
    case 'invalid_value':
      return { expected: issue.values };
    default:
      return {};
  }
}
