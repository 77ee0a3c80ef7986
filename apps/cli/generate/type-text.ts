import type { Schema } from '../../edge/openapi/api-document.ts';

/** A schema as a TypeScript type; names of components stand for themselves. */
export function typeText(schema: Schema): string {
  const { $ref, enum: values, anyOf, oneOf, allOf } = schema;
  if ($ref !== undefined) return $ref.replace('#/components/schemas/', '');
  if (schema.const !== undefined) return literal(schema.const);
  if (values !== undefined) return union(values.map(literal));
  const variants = anyOf ?? oneOf;
  if (variants !== undefined) return union(variants.map(typeText));
  if (allOf !== undefined) return allOf.map((each) => grouped(typeText(each))).join(' & ');
  const types = [schema.type ?? []].flat();
  return types.length === 0 ? 'unknown' : union(types.map((type) => ofType(type, schema)));
}

function ofType(type: string, schema: Schema): string {
  switch (type) {
    case 'string':
      return schema.format === 'binary' ? 'Blob' : 'string';
    case 'number':
    case 'integer':
      return 'number';
    case 'boolean':
    case 'null':
      return type;
    case 'array':
      return schema.prefixItems === undefined
        ? `readonly ${grouped(typeText(schema.items ?? {}))}[]`
        : `readonly [${schema.prefixItems.map(typeText).join(', ')}]`;
    case 'object':
      return objectText(schema);
    default:
      throw new Error(`a type of JSON that there is not: ${type}`);
  }
}

function objectText(schema: Schema): string {
  if (schema.properties === undefined) return recordText(schema);
  const fields = `{\n${fieldsText(schema)}}`;
  return isOpen(schema) ? `${fields} & ${recordText(schema)}` : fields;
}

/** Whether fields that the schema does not name mean something, too. */
export function isOpen({ additionalProperties: rest }: Schema): boolean {
  return rest === true || typeof rest === 'object';
}

function recordText({ additionalProperties: rest }: Schema): string {
  const value = typeof rest === 'object' ? typeText(rest) : 'unknown';
  return `Readonly<Record<string, ${value}>>`;
}

/** The fields of an object, a line or more each, with what the schema says of them. */
export function fieldsText({ properties = {}, required = [] }: Schema): string {
  const fields = Object.entries(properties).map(([name, schema]) => {
    const type = indented(typeText(schema));
    const isRequired = required.includes(name);
    // Whoever has nothing to say may say so: `undefined` does not go over the wire.
    const mark = isRequired ? `: ${type}` : `?: ${type} | undefined`;
    return `${comment(schema.description)}  readonly ${nameText(name)}${mark};\n`;
  });
  return fields.join('');
}

export function nameText(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : literal(name);
}

export function literal(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

/** A comment of one line above a field; a text that could end it is left out. */
export function comment(text: string | undefined): string {
  return text === undefined || text.includes('*/')
    ? ''
    : `  /** ${text.replaceAll('\n', ' ')} */\n`;
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ');
}

function grouped(type: string): string {
  return / [|&] |^readonly /.test(type) ? `(${type})` : type;
}

function indented(text: string): string {
  return text.replaceAll('\n', '\n  ');
}
