import type { DescribedApi, JsonSchema } from './described-api.ts';
import type { Dice } from './dice.ts';

/** What earlier answers named, by the name of the field: so that requests speak of what is there. */
export class KnownValues {
  readonly #byName = new Map<string, (string | number)[]>();

  /** Takes note of every plain value in `body`. */
  harvest(body: unknown): void {
    if (Array.isArray(body)) {
      for (const element of body.slice(0, 5)) this.harvest(element);
    } else if (typeof body === 'object' && body !== null) {
      for (const [name, value] of Object.entries(body)) {
        if (typeof value === 'string' || typeof value === 'number') this.note(name, value);
        else this.harvest(value);
      }
    }
  }

  note(name: string, value: string | number): void {
    if (typeof value === 'string' && value.length > 300) return;
    const values = (this.#byName.get(name) ?? []).filter((known) => known !== value);
    values.push(value);
    this.#byName.set(name, values.slice(-keptMax));
  }

  named(name: string): readonly (string | number)[] {
    const own = this.#byName.get(name) ?? [];
    const synonyms = synonymsOf[name] ?? [];
    return synonyms.length === 0
      ? own
      : [...own, ...synonyms.flatMap((other) => this.named(other))];
  }
}

const keptMax = 40;
const newestCount = 4;
const synonymsOf: Readonly<Record<string, readonly string[]>> = {
  hotkey: ['miner_hotkey', 'validator_hotkey'],
  challenge_sha256: [],
  artifact_sha256: ['code_sha256'],
  env_pack_sha256: ['pack_sha256'],
  default_provider: ['provider'],
};

const wordsOfAll = [
  ...['', ' ', 'a', 'shopper', 'Ünïcødé', '😀'.repeat(20), 'null', '0', '-1', '1e3', '../../etc'],
  ...["'; drop table suite; --", '<script>', '%00', '\u0000', '\ud800', 'x'.repeat(300), '{}'],
] as const;

/** Makes values that a schema allows, and values that it should not. */
export class Values {
  readonly #api: DescribedApi;
  readonly #dice: Dice;
  readonly #known: KnownValues;
  readonly #knownShare: number;

  /** `knownShare`: how often a text is one that an earlier answer named, where there are any. */
  constructor(
    api: DescribedApi,
    dice: Dice,
    { known, knownShare = 0.8 }: { readonly known: KnownValues; readonly knownShare?: number },
  ) {
    this.#api = api;
    this.#knownShare = knownShare;
    this.#dice = dice;
    this.#known = known;
  }

  valid(schema: JsonSchema, name = '', depth = 0): unknown {
    const resolved = this.#api.resolved(schema);
    const { enum: choices, const: constant } = resolved;
    if (constant !== undefined) return constant;
    if (choices !== undefined) return this.#dice.pick(choices);
    const union = resolved.anyOf ?? resolved.oneOf;
    if (union !== undefined) return this.valid(this.#dice.pick(union) ?? {}, name, depth);
    if (resolved.allOf !== undefined) {
      const parts = resolved.allOf.map((part) => this.valid(part, name, depth));
      return Object.assign({}, ...parts);
    }
    const { type } = resolved;
    const one = Array.isArray(type) ? this.#dice.pick(type as readonly string[]) : type;
    return this.#ofType(String(one ?? 'any'), resolved, name, depth);
  }

  #ofType(type: string, schema: JsonSchema, name: string, depth: number): unknown {
    const dice = this.#dice;
    switch (type) {
      case 'null':
        return null;
      case 'boolean':
        return dice.chance(0.5);
      case 'integer':
        return this.#number(schema, name, true);
      case 'number':
        return this.#number(schema, name, false);
      case 'string':
        return this.#text(schema, name);
      case 'array': {
        const length = dice.whole(schema.minItems ?? 0, Math.min(schema.maxItems ?? 3, 3));
        return Array.from({ length }, () => this.valid(schema.items ?? {}, name, depth + 1));
      }
      case 'object':
        return this.#object(schema, depth);
      default:
        return dice.pick([null, 1, 'text', true, {}, []]);
    }
  }

  #object(schema: JsonSchema, depth: number): Record<string, unknown> {
    const dice = this.#dice;
    const value: Record<string, unknown> = {};
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      const isWanted = schema.required?.includes(name) === true || dice.chance(depth > 3 ? 0 : 0.6);
      if (isWanted) value[name] = this.valid(property, name, depth + 1);
    }
    const { additionalProperties: rest } = schema;
    if (typeof rest === 'object' && dice.chance(0.5) && depth < 4) {
      value[dice.pick(['title', 'price', 'providera'])] = this.valid(rest, 'extra', depth + 1);
    }
    return value;
  }

  #number(schema: JsonSchema, name: string, isWhole: boolean): number {
    const dice = this.#dice;
    const known = dice.pick(this.#known.named(name).filter((each) => typeof each === 'number'));
    if (typeof known === 'number' && dice.chance(0.7)) return known;
    const min = Math.max(schema.minimum ?? 0, -1000);
    const max = Math.max(min, Math.min(schema.maximum ?? 1, min + 1000));
    if (isWhole) return dice.whole(Math.ceil(min), Math.floor(max));
    return Number((min + dice.fraction() * (max - min)).toFixed(4));
  }

  #text(schema: JsonSchema, name: string): string {
    const dice = this.#dice;
    const known = this.#known.named(name).filter((each) => typeof each === 'string');
    if (known.length > 0 && dice.chance(this.#knownShare)) {
      // What was named last is likelier to be there still.
      return dice.pick(dice.chance(0.5) ? known.slice(-newestCount) : known) ?? '';
    }
    if (schema.format === 'uuid') return dice.uuid();
    if (schema.format === 'date-time') return new Date(dice.whole(0, 2e12)).toISOString();
    const made = textOf(schema.pattern ?? '', dice);
    if (made !== undefined) return made;
    const length = dice.whole(schema.minLength ?? 1, Math.min(schema.maxLength ?? 20, 20));
    return 'abcdefghij klmnopqrst'.slice(0, length);
  }

  /** Wrong in type, bound or spelling; now and then right after all. */
  wrong(schema: JsonSchema): unknown {
    const resolved = this.#api.resolved(schema);
    const beyond = [
      resolved.maximum === undefined ? 2 ** 53 : resolved.maximum + 1,
      resolved.minimum === undefined ? -1 : resolved.minimum - 1,
      'x'.repeat((resolved.maxLength ?? 1000) + 1),
    ];
    return this.#dice.pick([
      ...beyond,
      ...[null, true, 1.5, -0, Number.POSITIVE_INFINITY, '', [], {}, [[]], { a: { b: 1 } }, 'NaN'],
      ...wordsOfAll,
    ]);
  }

  wrongText(schema: JsonSchema): string {
    const value = this.wrong(schema);
    return typeof value === 'string' ? value : JSON.stringify(value);
  }
}

/** For the patterns that the description uses; undefined for others. */
function textOf(pattern: string, dice: Dice): string | undefined {
  const digits = /\[0-9a-f(?:A-F)?\]\{(\d+)\}/.exec(pattern)?.[1];
  if (pattern.includes('-[0-9a-fA-F]{4}')) return dice.uuid();
  if (digits !== undefined)
    return `${pattern.includes('0x') ? '0x' : ''}${dice.hex(Number(digits))}`;
  if (pattern.includes('[1-9][0-9]')) return String(dice.whole(0, 100));
  if (pattern.includes('\\d')) return `0.${dice.whole(0, 9)}`;
  return undefined;
}
