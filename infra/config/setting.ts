import { isIP } from 'node:net';
import { z } from 'zod';
import { serverUrls } from '../postgres/server-urls.ts';

/** What a process is; a key may be required by some and unknown to others. */
export type ProcessKind = 'coordinator' | 'edge' | 'history' | 'migrate' | 'world';

/** One environment variable: how its text is read, and what a person should know of it. */
export interface Setting<T> {
  readonly schema: z.ZodType<T, string>;
  readonly unit: string;
  /** As it would be written in the environment; undefined where there is no sensible default. */
  readonly default: string | undefined;
  readonly reason: string;
  readonly secret: boolean;
  /** Without a default: who cannot start without it. Everyone else gets `absent` instead. */
  readonly requiredBy: readonly ProcessKind[];
  readonly absent?: T;
}

/** Its value is an integer of 10^-6, and its name in Config ends in `Micro`. */
export interface MicroSetting extends Setting<number> {
  readonly suffix: 'Micro';
}

interface Limits {
  readonly min?: number;
  readonly max?: number;
}

const tenYearsSeconds = 315_360_000;
const microPerUnit = 1_000_000;

export function seconds(initial: number, reason: string, limits: Limits = {}): Setting<number> {
  const { min = 1, max = tenYearsSeconds } = limits;
  return optional(wholeNumber({ min, max }), 's', String(initial), reason);
}

export function bytes(initial: number, reason: string): Setting<number> {
  return optional(wholeNumber({ min: 1 }), 'bytes', String(initial), reason);
}

export function count(
  initial: number,
  unit: string,
  reason: string,
  limits: Limits = {},
): Setting<number> {
  return optional(wholeNumber({ min: 1, ...limits }), unit, String(initial), reason);
}

interface MicroLimits extends Limits {
  /** Fewer than six where what it is copied to keeps fewer. */
  readonly places?: number;
}

/**
 * A decimal with at most 6 places, read into an integer of 10^-6: scores, shares and margins are
 * compared and multiplied exactly, which binary floats cannot do.
 */
export function micro(initial: string, reason: string, limits: MicroLimits = {}): MicroSetting {
  const { min = 0, max = 1, places = 6 } = limits;
  const written = new RegExp(`^\\d{1,9}(\\.\\d{1,${places}}0*)?$`);
  const schema = z
    .string()
    .regex(written, `must be a decimal with at most ${places} places`)
    .transform((text) => {
      const [whole = '0', fraction = ''] = text.split('.');
      return Number(whole) * microPerUnit + Number(fraction.slice(0, 6).padEnd(6, '0'));
    })
    .refine(
      (value) => value >= min * microPerUnit && value <= max * microPerUnit,
      `must be from ${min} to ${max}`,
    );
  return { ...optional(schema, 'share', initial, reason), suffix: 'Micro' };
}

export function optional<T>(
  schema: z.ZodType<T, string>,
  unit: string,
  initial: string,
  reason: string,
): Setting<T> {
  return { schema, unit, default: initial, reason, secret: false, requiredBy: [] };
}

export function required<T>(
  schema: z.ZodType<T, string>,
  about: { unit: string; reason: string; absent: T; secret?: boolean },
  requiredBy: readonly ProcessKind[] = ['edge', 'coordinator'],
): Setting<T> {
  const { unit, reason, absent, secret = false } = about;
  return { schema, unit, default: undefined, reason, secret, requiredBy, absent };
}

export function oneOf<const T extends string>(...words: readonly T[]): z.ZodType<T, string> {
  return z.string().refine((text): text is T => words.some((word) => word === text), {
    error: `must be one of ${words.join(', ')}`,
  });
}

export function wholeNumber(limits: Limits): z.ZodType<number, string> {
  const { min = 0, max = Number.MAX_SAFE_INTEGER } = limits;
  const range = max === Number.MAX_SAFE_INTEGER ? `at least ${min}` : `from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,15}$/, `must be a whole number, ${range}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be a whole number, ${range}`);
}

export const word = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'must be 1 to 100 letters, digits, ".", "_" or "-"');

/** As providers write their models: `maker/name:variant`. */
export const modelId = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,199}$/,
    'must hold 1 to 200 letters, digits, ".", "_", ":", "/" or "-"',
  );

/** `alias=model,…`; the empty text is none. */
export const modelAliases: z.ZodType<Readonly<Record<string, string>>, string> = listOf(
  z.string().regex(/^[^=]+=[^=]+$/, 'must hold pairs such as alias=model'),
).transform((pairs) => Object.fromEntries(pairs.map((pair) => pair.split('='))));

export const nonEmptyText = z.string().min(1, 'must not be empty');

/** The source of a regular expression. */
export const pattern = z
  .string()
  .min(1)
  .refine(isPattern, { error: 'must be a regular expression' });

function isPattern(text: string): boolean {
  try {
    // One that matches nothing at all would match everywhere.
    return !new RegExp(`^(?:${text})$`).test('');
  } catch {
    return false;
  }
}

/**
 * What was given, for whoever mends it: its beginning, and no password of a URL, also of one that is written wrongly:
 * nothing from the scheme, or from the beginning, to the last `@`.
 */
export function shownValue(text: string): string {
  const [scheme = ''] = /^[^@]*?:\/\//.exec(text) ?? [];
  const hidden = text.includes('@')
    ? `${scheme}[hidden]${text.slice(text.lastIndexOf('@'))}`
    : text;
  return `"${hidden.slice(0, 100)}"`;
}

/** The empty text means that there is none. */
export const textOrNone = z.string().transform((text) => (text === '' ? undefined : text));

/** `fetch` refuses any other at its first use, and where S3 signs there is no room for them. */
export function url(...schemes: readonly string[]): z.ZodType<string, string> {
  return urlWithLogin(...schemes).refine((text) => !hasLogin(text), {
    error: 'must be a URL without a user and a password, which cannot be sent there',
  });
}

/** For those who can send a user and a password. */
export function urlWithLogin(...schemes: readonly string[]): z.ZodString {
  return z.string().refine((text) => hasScheme(text, schemes), {
    error: `must be a URL beginning ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`,
    abort: true,
  });
}

/** May name several servers, by commas, in the place of one. */
export const databaseUrl = z
  .string()
  .refine(
    (text) => serverUrls(text).every((one) => hasScheme(one, ['postgres', 'postgresql'])),
    'must be a URL beginning postgres:// or postgresql://',
  );

/** One or more, by commas; kept as written. */
export function urls(...schemes: readonly string[]): z.ZodType<string, string> {
  return z.string().refine((text) => text.split(',').every((one) => hasScheme(one, schemes)), {
    error: `must be URLs beginning ${schemes[0]}://, separated by commas`,
  });
}

/** As browsers send it: no path, no slash at the end, no default port. */
export const origin = z
  .string()
  .refine((text) => /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text, {
    error: 'must be origins such as https://example.org',
  });

export function urlOrNone(...schemes: readonly string[]): z.ZodType<string | undefined, string> {
  return orNone(url(...schemes));
}

/** The empty text means that there is none. */
export function orNone(given: z.ZodType<string, string>): z.ZodType<string | undefined, string> {
  return z.string().transform((text, context) => {
    if (text === '') return undefined;
    for (const { message } of given.safeParse(text).error?.issues ?? []) {
      context.addIssue({ code: 'custom', message: `${message}, or empty` });
    }
    return text;
  });
}

/** `a,b,c`; the empty text is the empty list. */
export function listOf<T>(element: z.ZodType<T, string>): z.ZodType<T[], string> {
  return z
    .string()
    .transform((text) => (text === '' ? [] : text.split(',').map((part) => part.trim())))
    .pipe(z.array(element));
}

export const clockTime = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day such as 12:00');

export const timeZone = z.string().refine(isTimeZone, 'must be an IANA time zone');

export function days({ max }: { readonly max: number }): z.ZodType<number, string> {
  return z
    .string()
    .regex(/^\d{1,6}(\.\d{1,6})?$/, 'must be a number of days')
    .transform(Number)
    .refine((value) => value > 0 && value <= max, `must be above 0, and ${max} at most`);
}

/** A decimal as its text, to be calculated with exactly; the empty text means that there is none. */
export const decimalOrNone = z
  .string()
  .regex(/^(\d{1,12}(\.\d{1,9})?)?$/, 'must be a decimal with at most 9 places, or empty')
  .transform((text) => (text === '' ? undefined : text));

export const stake = z
  .string()
  .regex(/^\d{1,39}$/, "must be a whole number of the chain's smallest unit")
  .transform(BigInt);

/** IPv4 or IPv6. */
export const address = z.string().refine((text) => isIP(text) !== 0, 'must be an IP address');

export const addressOrRange = z
  .string()
  .refine(isAddressOrRange, 'must hold IP addresses or CIDR ranges');

function hasScheme(text: string, schemes: readonly string[]): boolean {
  return schemes.some((scheme) => text.startsWith(`${scheme}://`)) && URL.canParse(text);
}

function hasLogin(text: string): boolean {
  const { username, password } = new URL(text);
  return username !== '' || password !== '';
}

/** By name: PostgreSQL counts offsets such as +05:00 westward, the runtime eastward. */
function isTimeZone(text: string): boolean {
  if (!/^[A-Za-z]/.test(text)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }) !== undefined;
  } catch {
    return false;
  }
}

function isAddressOrRange(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  if (prefix === undefined) return true;
  return /^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128);
}
