/** What a command that people type takes, how it says so, and what it answers to anything else. */
import { parseArgs } from 'node:util';
import { UsageError } from '../../apps/verify/options.ts';

export interface NumberOption {
  readonly type: 'number';
  /** What it counts: told in the usage. */
  readonly unit: string;
  readonly usual?: number;
  readonly min: number;
  readonly max: number;
}

interface TextOption {
  readonly type: 'file' | 'names';
  readonly says: string;
  /** Of names, where they are few; others are refused. */
  readonly among?: readonly string[];
}

interface FlagOption {
  readonly type: 'flag';
  readonly says: string;
}

export type Option = FlagOption | NumberOption | TextOption;
export type Options = Readonly<Record<string, Option>>;

export interface Command<O extends Options = Options, P extends Numbers = Numbers> {
  /** As in package.json. */
  readonly script: string;
  readonly says: string;
  readonly options: O;
  /** Numbers that stand by their place and have no name on the line, in this order. */
  readonly places?: P;
}

type Numbers = Readonly<Record<string, NumberOption & { readonly usual: number }>>;

type ValueOf<O extends Option> = O extends { type: 'flag' }
  ? boolean
  : O extends { type: 'names' }
    ? readonly string[] | undefined
    : O extends { type: 'file' }
      ? string | undefined
      : O extends { usual: number }
        ? number
        : number | undefined;

export type Values<O extends Options> = { readonly [Name in keyof O]: ValueOf<O[Name]> };

const bounds = { min: 1, max: 1_000_000 };

/** Above zero, and whole: `3`, and neither `0x3` nor `3e0`. */
export function whole(usual: number, unit: string, other: Partial<typeof bounds> = {}) {
  return { type: 'number', usual, unit, ...bounds, ...other } as const;
}

/** Whatever has so many bits draws other dice. */
export const seed = whole(1, 'which dice are thrown', { max: 2 ** 32 - 1 });

export function flag(says: string) {
  return { type: 'flag', says } as const;
}

export function file(says: string) {
  return { type: 'file', says } as const;
}

/** Several with a comma, or by giving the option again. */
export function names(says: string, among?: readonly string[]) {
  return { type: 'names', says, ...(among && { among }) } as const;
}

/** So that the types of the options are kept. */
export function command<O extends Options, P extends Numbers>(
  described: Command<O, P>,
): Command<O, P> {
  return described;
}

/** The values of a line; undefined when help was asked for. Throws a UsageError. */
export function read<O extends Options, P extends Numbers>(
  { options, places }: Command<O, P>,
  args: readonly string[],
): Values<O & P> | undefined {
  const { tokens } = parseArgs({
    ...{ args: [...args], strict: false, allowPositionals: true, tokens: true },
    options: Object.fromEntries(
      Object.entries(options).map(([name, { type }]) => [
        name,
        { type: type === 'flag' ? 'boolean' : 'string' } as const,
      ]),
    ),
  });
  if (tokens.some((token) => token.kind === 'option' && ['help', 'h'].includes(token.name))) {
    return undefined;
  }
  const values: Record<string, unknown> = usualOf({ ...options, ...places });
  const seats = Object.entries(places ?? {});
  for (const token of tokens) {
    if (token.kind === 'positional') {
      const [name, option] = seats.shift() ?? [];
      if (name === undefined || option === undefined) {
        throw new UsageError(`"${token.value}" belongs to no option.`);
      }
      values[name] = numberOf(name, option, token.value);
    } else if (token.kind === 'option') {
      const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined;
      if (option === undefined) throw new UsageError(`There is no option ${token.rawName}.`);
      values[token.name] = worthOf(token.rawName, option, token.value, values[token.name]);
    }
  }
  return values as Values<O & P>;
}

function usualOf(options: Options): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(options).map(([name, option]) => {
      if (option.type === 'flag') return [name, false];
      return [name, option.type === 'number' ? option.usual : undefined];
    }),
  );
}

/** `before` is what the same option, given again, adds to. */
function worthOf(name: string, option: Option, text: string | undefined, before: unknown): unknown {
  if (option.type === 'number') return numberOf(name, option, text);
  if (option.type === 'flag') {
    if (text !== undefined) throw new UsageError(`${name} takes no value.`);
    return true;
  }
  if (text === undefined || text === '' || text.startsWith('--')) {
    throw new UsageError(`${name} takes ${option.type === 'file' ? 'a file' : 'a name'}.`);
  }
  if (option.type === 'file') return text;
  const given = text.split(',');
  const { among } = option;
  const unknown = given.find((each) => each === '' || among?.includes(each) === false);
  if (unknown !== undefined) {
    throw new UsageError(`${name} takes ${among?.join(', ') ?? 'names'}, not "${unknown}".`);
  }
  return [...((before as readonly string[] | undefined) ?? []), ...given];
}

function numberOf(name: string, { min, max }: NumberOption, text = ''): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  const given = text === '' ? 'nothing' : `"${text}"`;
  throw new UsageError(`${name} takes a whole number from ${min} to ${max}, not ${given}.`);
}

export function usageOf({ script, says, options, places = {} }: Command): string {
  const named = Object.entries(options).map(([name, option]) => {
    const value = { number: ' N', file: ' FILE', names: ' NAME,…', flag: '' }[option.type];
    return [`--${name}${value}`, told(option)] as const;
  });
  const placed = Object.entries(places).map(([name, option]) => [name, told(option)] as const);
  const rows = [...placed, ...named, ['--help', 'show this'] as const];
  const width = Math.max(...rows.map(([name]) => name.length));
  const line = [
    ...Object.keys(places).map((name) => `[${name}]`),
    ...named.map(([name]) => `[${name}]`),
  ].join(' ');
  return [
    `npm run ${script}${line === '' ? '' : ` -- ${line}`}`,
    says,
    '',
    ...rows.map(([name, what]) => `  ${name.padEnd(width)}  ${what}`),
  ].join('\n');
}

function told(option: Option): string {
  if (option.type === 'names' && option.among !== undefined) {
    return `${option.says}: ${option.among.join(', ')}`;
  }
  if (option.type !== 'number') return option.says;
  const { unit, usual, min, max } = option;
  return `${unit}; ${usual === undefined ? '' : `${usual} unless told, `}from ${min} to ${max}`;
}

/**
 * The values of this process's own line. Anything wrong ends the process with 2 and says what, and
 * `--help` with 0, before anything is started that would have to be stopped.
 */
export function lineOf<O extends Options, P extends Numbers>(of: Command<O, P>): Values<O & P> {
  try {
    const values = read(of, process.argv.slice(2));
    if (values !== undefined) return values;
    console.log(usageOf(of));
    process.exit(0);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(`${error.message}\n\n${usageOf(of)}`);
    process.exit(2);
  }
}
