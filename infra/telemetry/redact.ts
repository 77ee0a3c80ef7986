const secretName =
  /token|authorization|signature|credential|secret|password|passwd|cookie|api_?-?key/i;
/** `promptTokens`: where it is a number, a count of what a model read or wrote. */
const countName = /Tokens$/;
const redacted = '[redacted]';

/** Bounds of one field: a log line is for reading, and a cyclic value must end. */
const depthMax = 6;
const entriesMax = 100;
const textMax = 4000;

/**
 * A copy that JSON can hold and strangers may read: values under secret names are replaced, and so
 * are the secrets that texts are known to carry. Errors become their name, message, stack and causes;
 * their other properties (a database driver hangs the query's parameters on them) are left out.
 */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return scrub(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'function' || typeof value === 'symbol') return `[${typeof value}]`;
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= depthMax) return '[deeper]';
  if (value instanceof Error) return readableError(value, depth);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (value instanceof Map) return redact(Object.fromEntries(value), depth);
  if (Array.isArray(value) || value instanceof Set) return redactList([...value], depth);
  return redactFields(value, depth);
}

function redactFields(value: object, depth: number): unknown {
  const entries = Object.entries(value).slice(0, entriesMax);
  return Object.fromEntries(
    entries.map(([name, field]) => [
      name,
      hides(name, field) ? redacted : redact(field, depth + 1),
    ]),
  );
}

function redactList(values: readonly unknown[], depth: number): unknown[] {
  const shown = values.slice(0, entriesMax).map((entry) => redact(entry, depth + 1));
  const more = values.length - shown.length;
  return more > 0 ? [...shown, `[${more} more]`] : shown;
}

/** That there is no token, or that there is one, is no secret; nor is how many a model used. */
function hides(name: string, field: unknown): boolean {
  if (!secretName.test(name) || field === undefined || field === null) return false;
  return typeof field === 'number' ? !countName.test(name) : typeof field !== 'boolean';
}

function readableError(error: Error, depth: number): Record<string, unknown> {
  const { name, message, stack, cause } = error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return {
    name,
    message: scrub(message),
    ...(code !== undefined && { code }),
    ...(stack !== undefined && { stack: scrub(stack) }),
    ...(cause !== undefined && { cause: redact(cause, depth + 1) }),
    ...(error instanceof AggregateError && { errors: redactList(error.errors, depth) }),
  };
}

/**
 * Passwords in URLs, Bearer headers, tokens of sessions and runs, secrets of webhooks, and the signatures
 * of presigned URLs.
 */
function scrub(text: string): string {
  const shown = text.length > textMax ? `${text.slice(0, textMax)}…` : text;
  return shown
    .replaceAll(/(:\/\/[^\s/:@]*):[^\s/@]+@/g, `$1:${redacted}@`)
    .replaceAll(/\b(Bearer\s+)[^\s"',]+/gi, `$1${redacted}`)
    .replaceAll(/\b(?:ses|inf)_[0-9a-f]{8,}/gi, redacted)
    .replaceAll(/\bwhsec_[\w+/=-]+/gi, redacted)
    .replaceAll(/\b(X-Amz-(?:Signature|Credential|Security-Token)=)[^\s&"']+/gi, `$1${redacted}`);
}
