import type { DescribedApi, JsonSchema } from './described-api.ts';

/** Texts that a parameter in a path or query must not be taken for. */
export function badTexts(schema: JsonSchema): readonly string[] {
  const { type, format, pattern = '', maxLength, minimum, maximum, enum: words } = schema;
  if (type === 'integer') {
    const beyond = [maximum, minimum].flatMap((bound, index) =>
      bound === undefined ? [] : [String(bound + (index === 0 ? 1 : -1))],
    );
    return [...badIntegers, ...beyond];
  }
  if (type === 'boolean') return ['maybe', '2', '', 'nul', 'true ', '[]'];
  if (format === 'uuid') return badUuids;
  if (words !== undefined) return ['', 'x', `${words[0]} `, `${String(words[0]).toLowerCase()}é`];
  if (pattern.includes('{64}')) {
    return [
      '',
      'a'.repeat(63),
      'a'.repeat(65),
      'A'.repeat(64),
      'g'.repeat(64),
      `${'a'.repeat(64)}\n`,
    ];
  }
  if (maxLength !== undefined) return ['x'.repeat(maxLength + 1)];
  return [];
}

const badIntegers = [
  ...['', '1.0', '1e3', ' 1', '1 ', '+1', '01', '0x1', '1_0', '١', '１', 'NaN', 'Infinity', '-0'],
  ...['1;', '10;', '1,2', '100.5', '1'.repeat(30), 'null', '[1]', '1\n', 'true'],
];

const id = '0b7e5c54-9a0e-4c5e-8f6b-2f1d3c4b5a69';
const badUuids = [
  ...['x', '0', id.replaceAll('-', ''), `{${id}}`, `urn:uuid:${id}`, `${id}\n`, ` ${id}`],
  ...[id.slice(0, -1), `${id}0`, id.replace('0', 'g'), id.replaceAll('-', '_'), 'null'],
];

/** JSON values that a field must not be taken for: of other types, and out of its bounds. */
export function badValues(api: DescribedApi, schema: JsonSchema): readonly unknown[] {
  const kinds = kindsOf(api, schema);
  const ofOtherTypes = Object.entries(samples).flatMap(([kind, sample]) =>
    kinds.has(kind) || kinds.has('any') ? [] : [sample],
  );
  return [...ofOtherTypes, ...outOfBounds(api, schema)];
}

const samples: Readonly<Record<string, unknown>> = {
  null: null,
  boolean: true,
  number: 3,
  string: 'x',
  array: [],
  object: {},
};

function kindsOf(api: DescribedApi, schema: JsonSchema): ReadonlySet<string> {
  const resolved = api.resolved(schema);
  const union = resolved.anyOf ?? resolved.oneOf;
  if (union !== undefined) return new Set(union.flatMap((part) => [...kindsOf(api, part)]));
  const listed = resolved.enum ?? (resolved.const === undefined ? undefined : [resolved.const]);
  if (listed !== undefined) return new Set(listed.map(kindOf));
  const { type } = resolved;
  if (type === undefined) return new Set(['any']);
  const types = typeof type === 'string' ? [type] : type;
  return new Set(types.map((each) => (each === 'integer' ? 'number' : each)));
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function outOfBounds(api: DescribedApi, schema: JsonSchema): readonly unknown[] {
  const resolved = api.resolved(schema);
  const union = resolved.anyOf ?? resolved.oneOf;
  if (union !== undefined) {
    // Two kinds of text or number might each take what the other refuses.
    const [only, ...others] = union.filter((part) => api.resolved(part).type !== 'null');
    return only === undefined || others.length > 0 ? [] : outOfBounds(api, only);
  }
  const { minimum, maximum, maxLength, minLength = 0, maxItems, minItems = 0 } = resolved;
  return [
    ...(maximum === undefined ? [] : [maximum + 1]),
    ...(minimum === undefined ? [] : [minimum - 1]),
    ...(resolved.type === 'integer' ? [1.5] : []),
    ...(maxLength === undefined ? [] : ['x'.repeat(maxLength + 1)]),
    ...(minLength > 0 ? [''] : []),
    ...(maxItems === undefined ? [] : [Array.from({ length: maxItems + 1 }, () => ({}))]),
    ...(minItems > 0 ? [[]] : []),
    ...(resolved.format === 'uuid' ? badUuids : []),
    ...(resolved.enum !== undefined && resolved.type === 'string' ? ['x', ''] : []),
  ];
}
