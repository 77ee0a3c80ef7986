import type { ExecutionContext } from 'ava';
import type { z } from 'zod';
import { validationError } from '../../spec/answers/errors.ts';

/** The body of a 200 that has the documented shape, with every field and no other. */
export async function shaped<T>(
  t: ExecutionContext,
  schema: z.ZodType<T>,
  answer: Response,
): Promise<T> {
  const text = await answer.text();
  t.is(answer.status, 200, text);
  requireCommonHeaders(t, answer);
  const parsed = schema.safeParse(JSON.parse(text));
  t.true(parsed.success, parsed.success ? '' : `${parsed.error.message}\n${text}`);
  if (!parsed.success) throw parsed.error;
  return parsed.data;
}

export interface CodedRefusal {
  readonly detail: string;
  readonly error_code: string;
  readonly [extra: string]: unknown;
}

/** A coded refusal, in the one form that all of them have. */
export async function refused(
  t: ExecutionContext,
  answer: Response,
  expected: `${number} ${string}`,
): Promise<CodedRefusal> {
  const text = await answer.text();
  const body = JSON.parse(text) as CodedRefusal;
  t.is(`${answer.status} ${body.error_code}`, expected, text);
  t.is(typeof body.detail, 'string', text);
  requireCommonHeaders(t, answer);
  const retryAfter = answer.headers.get('retry-after');
  if (answer.status === 429 || answer.status === 503) t.regex(retryAfter ?? '', /^[1-9]\d*$/);
  else t.is(retryAfter, null);
  return body;
}

/** A 422 in the array form; the path of the first problem. */
export async function invalid(t: ExecutionContext, answer: Response): Promise<string> {
  const text = await answer.text();
  t.is(answer.status, 422, text);
  requireCommonHeaders(t, answer);
  const parsed = validationError.safeParse(JSON.parse(text));
  t.true(parsed.success, text);
  return parsed.data?.detail[0]?.loc.join('.') ?? '';
}

function requireCommonHeaders(t: ExecutionContext, answer: Response): void {
  t.regex(answer.headers.get('x-request-id') ?? '', /^[0-9a-f]{32}$/);
  t.is(answer.headers.get('x-content-type-options'), 'nosniff');
  t.is(answer.headers.get('x-powered-by'), null);
  t.is(answer.headers.get('content-type'), 'application/json; charset=utf-8');
}

/** That nothing on the way may keep the answer. */
export function unkept(t: ExecutionContext, answer: Response): Response {
  t.is(answer.headers.get('cache-control'), 'no-store');
  return answer;
}
