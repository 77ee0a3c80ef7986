import { parseArgs } from 'node:util';
import { type Command, commonOptions, type Option, type Options, type Place } from './command.ts';
import { nearest, UsageError } from './usage-error.ts';

/** What a command was asked, already held against what it takes. */
export class Asked {
  readonly #places: ReadonlyMap<string, string>;
  readonly #options: ReadonlyMap<string, string | true>;

  constructor(places: ReadonlyMap<string, string>, options: ReadonlyMap<string, string | true>) {
    this.#places = places;
    this.#options = options;
  }

  /** Of a place that may not be left out. */
  place(name: string): string {
    const value = this.#places.get(name);
    if (value === undefined) throw new Error(`the command has no place ${name}`);
    return value;
  }

  placeOr(name: string): string | undefined {
    return this.#places.get(name);
  }

  isSet(name: string): boolean {
    return this.#options.has(name);
  }

  text(name: string): string | undefined {
    const value = this.#options.get(name);
    return typeof value === 'string' ? value : undefined;
  }

  count(name: string, { min, max }: { readonly min: number; readonly max: number }) {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new UsageError(`--${name} must be a whole number from ${min} to ${max}, not "${text}"`);
  }
}

/** Reads what stands after the name of a command. */
export function askedOf(command: Command, args: readonly string[]): Asked {
  const { places = [] } = command;
  const options: Options = { ...command.options, ...commonOptions };
  const { values, positionals } = parsed(options, args);
  const given = new Map<string, string | true>();
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === 'string') requireAmong(`--${name}`, options[name], value);
    given.set(name, typeof value === 'string' ? value : true);
  }
  if (given.has('help')) return new Asked(new Map(), given);
  const said = placed(command.name, places, positionals);
  const missing = Object.entries(options).find(
    ([name, { isRequired }]) => isRequired === true && !given.has(name),
  );
  if (missing !== undefined) {
    const [name, { value, says }] = missing;
    throw new UsageError(`${command.name} needs --${name} ${value}: ${says}`);
  }
  return new Asked(said, given);
}

function parsed(options: Options, args: readonly string[]) {
  const config = Object.fromEntries(
    Object.entries(options).map(([name, { value, short }]) => [
      name,
      {
        type: value === undefined ? ('boolean' as const) : ('string' as const),
        ...(short !== undefined && { short }),
      },
    ]),
  );
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options: config });
  } catch (error) {
    throw new UsageError(complaint(error, Object.keys(options)));
  }
}

/** Node says it in its own words, of which only the first sentence is about people. */
function complaint(error: unknown, known: readonly string[]): string {
  const message = error instanceof Error ? error.message : String(error);
  const unknown = /^Unknown option '(--?)([^']+)'/.exec(message);
  if (unknown === null) return message.split('. ')[0] ?? message;
  const [, dashes = '', name = ''] = unknown;
  const meant = nearest(name, known);
  const hint = meant === undefined ? '' : `; did you mean --${meant}?`;
  return `there is no option ${dashes}${name}${hint}`;
}

function placed(
  command: string,
  places: readonly Place[],
  positionals: readonly string[],
): Map<string, string> {
  const [extra] = positionals.slice(places.length);
  if (extra !== undefined)
    throw new UsageError(`${command} does not know what to do with "${extra}"`);
  const said = new Map<string, string>();
  for (const [index, place] of places.entries()) {
    const value = positionals[index];
    if (value === undefined) {
      if (place.isOptional === true) continue;
      throw new UsageError(`${command} needs ${place.name}: ${place.says}`);
    }
    requireAmong(place.name, place, value);
    said.set(place.name, value);
  }
  return said;
}

function requireAmong(what: string, { among }: Pick<Option, 'among'> = {}, value: string): void {
  if (among === undefined || among.includes(value)) return;
  throw new UsageError(`${what} must be one of ${among.join(', ')}, not "${value}"`);
}
