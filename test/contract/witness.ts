import type { ExecutionContext } from 'ava';
import type { z } from 'zod';
import { valueListOf } from '../spec/answers/atoms.ts';
import { rowsOf, shapeIdOf } from '../spec/rows.ts';
import { bare, nodeOf, optionsOf } from '../spec/schema-walk.ts';

interface Sighting {
  hasValue: boolean;
  hasNull: boolean;
  isNullable: boolean;
}

/**
 * What the answers of a world have shown: each field of the table with a value and, where it may be,
 * without one. A strict shape alone would be content with a field that is null for ever.
 */
export class Witness {
  readonly #fields = new Map<string, Sighting>();
  readonly #words = new Set<string>();

  /** Notes an answer that its schema has accepted. */
  note(schema: z.ZodType, value: unknown): void {
    this.#walk(shapeIdOf(schema) ?? '', schema, value);
  }

  noteWord(id: string): void {
    this.#words.add(id);
  }

  /** `never`: fields that no world can show so, as `id value` or `id null`. */
  requireFields(
    t: ExecutionContext,
    patterns: readonly string[],
    never: readonly string[] = [],
  ): void {
    const unseen = rowsOf(...patterns).flatMap(({ id }) => {
      const { hasValue = false, hasNull = false, isNullable = false } = this.#fields.get(id) ?? {};
      return [
        ...(hasValue ? [] : [`${id} value`]),
        ...(isNullable && !hasNull ? [`${id} null`] : []),
      ];
    });
    t.deepEqual(unseen.toSorted(), never.toSorted());
  }

  requireWords(t: ExecutionContext, ...patterns: readonly string[]): void {
    const unseen = rowsOf(...patterns).filter(({ id }) => !this.#words.has(id));
    t.deepEqual(
      unseen.map(({ id }) => id),
      [],
    );
  }

  #walk(path: string, schema: z.ZodType, value: unknown): void {
    const inner = bare(schema).schema;
    const chosen = optionsOf(inner).find((option) => option.safeParse(value).success) ?? inner;
    const here = shapeIdOf(chosen) ?? path;
    const list = valueListOf(chosen);
    if (value === null || value === undefined) return;
    if (list !== undefined) this.#words.add(`${list}.${String(value)}`);
    const node = nodeOf(chosen);
    if (node.kind === 'list') {
      for (const element of value as readonly unknown[]) {
        this.#walk(`${here}[]`, node.element, element);
      }
    }
    if (node.kind === 'object') this.#walkFields(here, node.fields, value as object);
  }

  #walkFields(path: string, fields: Readonly<Record<string, z.ZodType>>, value: object): void {
    for (const [name, schema] of Object.entries(fields)) {
      const field: unknown = (value as Readonly<Record<string, unknown>>)[name];
      const id = `${path}.${name}`;
      const { hasValue = false, hasNull = false } = this.#fields.get(id) ?? {};
      this.#fields.set(id, {
        hasValue: hasValue || field !== null,
        hasNull: hasNull || field === null,
        isNullable: bare(schema).isNullable,
      });
      this.#walk(id, schema, field);
    }
  }
}
