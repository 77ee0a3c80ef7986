import type { z } from 'zod';
import { valueListOf } from './answers/atoms.ts';
import { codes } from './codes.ts';
import { limits, numbers } from './limits.ts';
import type { Place } from './place.ts';
import type { Field, Fields, RouteRow } from './routes/route-row.ts';
import { episodeFields, progressFields } from './routes/validator.ts';
import { type RouteId, routes } from './routes.ts';
import { bare, nodeOf } from './schema-walk.ts';
import { shapes } from './shapes.ts';
import { valueLists } from './values.ts';

/** One line of the text, as something that can be missing, approximate or extra. */
export interface Row {
  readonly id: string;
  readonly place: Place;
  readonly says: string;
}

/** Every row of the table, in the order of the text's parts. */
export function allRows(): readonly Row[] {
  return [...routeRows(), ...shapeRows(), ...valueRows(), ...codeRows(), ...limitRows()];
}

/** Of an id, or of `PREFIX*`. Throws where there is none: a test names no row that is gone. */
export function rowsOf(...patterns: readonly string[]): readonly Row[] {
  const all = allRows();
  return patterns.flatMap((pattern) => {
    const found = all.filter(({ id }) => matches(id, pattern));
    if (found.length === 0) throw new Error(`no row ${pattern}`);
    return found;
  });
}

export function matches(id: string, pattern: string): boolean {
  return pattern.endsWith('*') ? id.startsWith(pattern.slice(0, -1)) : id === pattern;
}

function routeRows(): Row[] {
  return Object.entries<RouteRow>(routes).flatMap(([id, route]) => {
    const says = `${route.method} ${route.path}, ${route.auth}`;
    const parts = [
      ...fieldRows(`${id}.path`, route, route.params),
      ...fieldRows(`${id}.query`, route, route.query),
      ...fieldRows(`${id}.body`, route, route.body),
      ...extraFields(id as RouteId, route),
    ];
    return [{ id, place: route.place, says }, ...parts];
  });
}

function extraFields(id: RouteId, route: RouteRow): Row[] {
  if (id === 'SPEC-VAL-04') return fieldRows(`${id}.item`, route, episodeFields);
  if (id === 'CON-4-REPORT_PROGRESS') return fieldRows(`${id}.problem`, route, progressFields);
  return [];
}

function fieldRows(prefix: string, { place }: RouteRow, fields: Fields = {}): Row[] {
  return Object.entries(fields).map(([name, field]) => ({
    id: `${prefix}.${name}`,
    place,
    says: described(field),
  }));
}

function described({ type, min, max, words, ...field }: Field): string {
  const bounds = min === undefined && max === undefined ? '' : ` ${min ?? ''}..${max ?? ''}`;
  const initial = field.default === undefined ? '' : `, default ${field.default}`;
  const optional = field.optional === true ? ', optional' : '';
  const nullable = field.nullable === true ? ' or null' : '';
  return `${words ?? type}${bounds}${nullable}${initial}${optional}`;
}

const shapeOfSchema = new Map<z.ZodType, string>(
  Object.entries(shapes).map(([id, { schema }]) => [schema, id]),
);

/** The id under which a schema has rows of its own. */
export const shapeIdOf = (schema: z.ZodType): string | undefined => shapeOfSchema.get(schema);

function shapeRows(): Row[] {
  return Object.entries(shapes).flatMap(([id, { place, schema }]) =>
    fieldsBelow(id, schema).map(({ path, says }) => ({ id: path, place, says })),
  );
}

function fieldsBelow(path: string, schema: z.ZodType): { path: string; says: string }[] {
  const node = nodeOf(bare(schema).schema);
  if (node.kind === 'list') return elementRows(`${path}[]`, node.element);
  if (node.kind === 'leaf') return [];
  return Object.entries(node.fields).flatMap(([name, field]) => [
    { path: `${path}.${name}`, says: typeText(field) },
    ...elementRows(`${path}.${name}`, field),
  ]);
}

function elementRows(path: string, schema: z.ZodType): { path: string; says: string }[] {
  return shapeIdOf(bare(schema).schema) === undefined ? fieldsBelow(path, schema) : [];
}

export function typeText(field: z.ZodType): string {
  const { schema, isNullable } = bare(field);
  const suffix = isNullable ? ' or null' : '';
  const known = shapeIdOf(schema) ?? valueListOf(schema);
  if (known !== undefined) return known + suffix;
  const node = nodeOf(schema);
  if (node.kind === 'list') return `list of ${typeText(node.element)}${suffix}`;
  return (node.kind === 'object' ? 'object' : node.type) + suffix;
}

function valueRows(): Row[] {
  return Object.entries(valueLists).flatMap(([id, { place, values }]) =>
    values.map((value) => ({ id: `${id}.${value}`, place, says: value })),
  );
}

function codeRows(): Row[] {
  return Object.entries(codes).map(([id, { place, code, status }]) => ({
    id,
    place,
    says: `${status} ${code}`,
  }));
}

function limitRows(): Row[] {
  return [
    ...Object.entries(limits).map(([id, { place, says }]) => ({ id, place, says })),
    ...Object.entries(numbers).map(([id, { place, key, default: value }]) => ({
      id,
      place,
      says: value === '' ? key : `${key} = ${value}`,
    })),
  ];
}
