import {
  type ApiDocument,
  type DescribedOperation,
  operationsOf,
  type Schema,
} from '../../edge/openapi/api-document.ts';
import type { OperatorField, OperatorRoute } from '../operator/operator-route.ts';
import { generatedMark } from './schemas-text.ts';

/** What the `operator` commands are made of: every route that asks for an operator's token. */
export function operatorRoutesText(document: ApiDocument): string {
  const described = operationsOf(document).filter(({ operation }) =>
    operation.security.some((schemes) => 'operator' in schemes),
  );
  const routes = described.map((each) => [
    each.operation.operationId,
    routeOf(each, document.components.schemas),
  ]);
  return `${generatedMark}
import type { OperatorRoute } from '../operator/operator-route.ts';

export const operatorRoutes = ${JSON.stringify(Object.fromEntries(routes), null, 2)} as const satisfies Readonly<Record<string, OperatorRoute>>;
`;
}

type Schemas = ApiDocument['components']['schemas'];

function routeOf({ method, path, operation }: DescribedOperation, schemas: Schemas): OperatorRoute {
  const { parameters = [], requestBody, summary } = operation;
  const plain = parameters.filter(({ in: place }) => place !== 'header');
  const given = plain.map(({ name, in: place, required, schema, description }) =>
    fieldOf(name, schema, {
      in: place === 'path' ? 'path' : 'query',
      isRequired: required === true,
      says: description,
    }),
  );
  const [content] = Object.entries(requestBody?.content ?? {});
  const isJson = content?.[0] === 'application/json';
  const body = isJson ? bodyFields(content[1].schema, schemas) : [];
  return {
    method: method.toUpperCase() as OperatorRoute['method'],
    path,
    says: summary,
    fields: [...given, ...body],
    body: content === undefined ? 'none' : isJson ? 'json' : 'file',
    takesKey: parameters.some(({ name }) => name === 'Idempotency-Key'),
  };
}

function bodyFields(schema: Schema, schemas: Schemas): OperatorField[] {
  const { properties = {}, required = [] } = notNull(schema, schemas);
  return Object.entries(properties).map(([name, field]) =>
    fieldOf(name, notNull(field, schemas), {
      in: 'body',
      isRequired: required.includes(name),
      says: field.description,
    }),
  );
}

/** What may be null or left out is, where it is given, the other thing. */
function notNull(schema: Schema, schemas: Schemas): Schema {
  const { $ref, anyOf } = schema;
  if ($ref !== undefined) {
    return notNull(schemas[$ref.replace('#/components/schemas/', '')] ?? {}, schemas);
  }
  const others = anyOf?.filter(({ type }) => type !== 'null') ?? [];
  const [other] = others;
  return other !== undefined && others.length === 1 ? notNull(other, schemas) : schema;
}

function fieldOf(
  name: string,
  schema: Schema,
  of: {
    readonly in: OperatorField['in'];
    readonly isRequired: boolean;
    readonly says: string | undefined;
  },
): OperatorField {
  const { says, ...rest } = of;
  const among = schema.enum?.filter((value) => typeof value === 'string');
  return {
    ...{ name, ...rest, type: typeOf(schema) },
    ...(says !== undefined && { says }),
    ...(among !== undefined && { among }),
  };
}

function typeOf({ type, enum: values }: Schema): OperatorField['type'] {
  const types = [type ?? []].flat().filter((each) => each !== 'null');
  if (values !== undefined) return 'text';
  const [only] = types;
  if (types.length !== 1) return 'json';
  if (only === 'integer' || only === 'number') return 'number';
  if (only === 'string') return 'text';
  return only === 'boolean' ? 'boolean' : 'json';
}
