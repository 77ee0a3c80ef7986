import type { Asked } from '../asked.ts';
import { UsageError } from '../usage-error.ts';
import type { OperatorField, OperatorRoute } from './operator-route.ts';

/** More would be hard to keep in order; then they are options. */
const bodyPlacesMax = 2;

/** Whether a field stands by its place: what is in the path, and the few things a body must have. */
export function isPlace(field: OperatorField, { fields }: OperatorRoute): boolean {
  if (field.in === 'path') return true;
  const needed = fields.filter(isNeeded);
  return isNeeded(field) && needed.length <= bodyPlacesMax;
}

function isNeeded({ in: place, isRequired, name }: OperatorField): boolean {
  return place === 'body' && isRequired && name !== 'reason';
}

export function placeName({ name }: OperatorField): string {
  return name.toUpperCase();
}

export function optionName({ name }: OperatorField): string {
  return name.replaceAll('_', '-');
}

/** Everything that a route is given, without its file: as the generated client takes it. */
export function requestOf(
  route: OperatorRoute,
  asked: Asked,
  fromFile: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const given: Record<string, unknown> = {};
  const body: Record<string, unknown> = { ...fromFile };
  for (const field of route.fields) {
    const text = isPlace(field, route)
      ? asked.place(placeName(field))
      : asked.text(optionName(field));
    const isMissing = text === undefined && !Object.hasOwn(body, field.name);
    if (isMissing && field.isRequired) {
      throw new UsageError(`give --${optionName(field)}, or "${field.name}" in the file of --body`);
    }
    if (text === undefined) continue;
    const value = valueIn(field, text);
    if (field.in === 'body') body[field.name] = value;
    else given[field.name] = value;
  }
  return route.body === 'json' ? { ...given, body } : given;
}

function valueIn(field: OperatorField, text: string): unknown {
  if (text === 'null' && !field.isRequired) return null;
  const wrong = (what: string) => new UsageError(`${field.name} must be ${what}, not "${text}"`);
  switch (field.type) {
    case 'text':
      return text;
    case 'number': {
      if (!/^-?\d+(\.\d+)?$/.test(text)) throw wrong('a number');
      return Number(text);
    }
    case 'boolean':
      if (text !== 'true' && text !== 'false') throw wrong('true or false');
      return text === 'true';
    case 'json':
      return listOf(text, wrong);
  }
}

function listOf(text: string, wrong: (what: string) => Error): unknown {
  if (!/^\s*[[{]/.test(text)) return text.split(',').map((each) => each.trim());
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw wrong('a list with commas, or JSON');
  }
}
