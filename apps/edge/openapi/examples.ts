import { type ApiDocument, type Content, operationsOf, type Schema } from './api-document.ts';
import { namedValues } from './example-values.ts';
import { requestExamples } from './request-examples.ts';
import { suits } from './suits.ts';

/**
 * Gives every parameter, body and answer of the document an example, composed from its schema: what
 * the schema itself names, then what a field of this name usually holds, then the least that fits.
 */
export function withExamples(document: ApiDocument): void {
  const { schemas } = document.components;
  const into = (content: Content | undefined) => {
    for (const media of Object.values(content ?? {})) {
      if (media.examples === undefined) media.example = exampleOf(media.schema, '', schemas);
    }
  };
  for (const { operation } of operationsOf(document)) {
    for (const parameter of operation.parameters ?? []) {
      const { name, schema } = parameter;
      parameter.example = exampleOf(schema, name, schemas);
    }
    into(operation.requestBody?.content);
    const whole = requestExamples[operation.operationId];
    for (const media of Object.values(operation.requestBody?.content ?? {})) {
      if (whole !== undefined) media.example = whole;
    }
    for (const { content } of Object.values(operation.responses)) into(content);
  }
}

type Schemas = Readonly<Record<string, Schema>>;

/** @param name of the field that the value is for; empty at the top */
export function exampleOf(schema: Schema, name: string, schemas: Schemas): unknown {
  const known = resolved(schema, schemas);
  if (known.const !== undefined) return known.const;
  if (known.examples !== undefined) return known.examples[0];
  const named = namedValues(name).find((value) => suits(value, known));
  if (named !== undefined) return named;
  const [first] = (known.anyOf ?? known.oneOf ?? []).filter(({ type }) => type !== 'null');
  if (first !== undefined) return exampleOf(first, name, schemas);
  if (known.enum !== undefined) return known.enum[0];
  return byType(known, name, schemas);
}

function byType(schema: Schema, name: string, schemas: Schemas): unknown {
  const [type] = [schema.type ?? 'object'].flat().filter((each) => each !== 'null');
  switch (type) {
    case 'object':
      return objectExample(schema, schemas);
    case 'array': {
      // `qualifiers` holds what a `qualifier` is.
      const item = exampleOf(schema.items ?? {}, name.replace(/s$/, ''), schemas);
      return (schema.maxItems ?? 1) > 0 ? [item] : [];
    }
    case 'string':
      return textExample(schema);
    case 'boolean':
      return schema.default ?? true;
    case 'null':
      return null;
    default:
      return schema.default ?? Math.min(Math.max(1, schema.minimum ?? 1), schema.maximum ?? 1);
  }
}

function objectExample(schema: Schema, schemas: Schemas): Record<string, unknown> {
  const fields = Object.entries(schema.properties ?? {});
  const { additionalProperties: rest } = schema;
  const open = typeof rest === 'object' && Object.keys(rest).length > 0 && fields.length === 0;
  const all = open ? [['example', rest] as const] : fields;
  return Object.fromEntries(all.map(([key, each]) => [key, exampleOf(each, key, schemas)]));
}

const textByFormat: Readonly<Record<string, string>> = {
  binary: 'bytes',
  'date-time': '2026-01-01T12:00:00.000Z',
  uri: 'https://example.org/hook',
  uuid: '0f8fad5b-d9cb-469f-a165-70867728950e',
};

function textExample(schema: Schema): unknown {
  const texts = [schema.default, textByFormat[schema.format ?? ''], 'text', ...namedValues('hash')];
  const text = texts.find((each) => each !== undefined && suits(each, schema));
  if (text === undefined) throw new Error(`no example fits ${JSON.stringify(schema)}`);
  return text;
}

export function resolved(schema: Schema, schemas: Schemas): Schema {
  if (schema.$ref === undefined) return schema;
  const name = schema.$ref.replace('#/components/schemas/', '');
  const found = schemas[name];
  if (found === undefined) throw new Error(`nothing is called ${schema.$ref}`);
  return resolved(found, schemas);
}
