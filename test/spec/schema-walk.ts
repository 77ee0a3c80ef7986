import type { z } from 'zod';

/** What a schema of the table is made of, as far as the table uses zod. */
export type Node =
  | { readonly kind: 'object'; readonly fields: Readonly<Record<string, z.ZodType>> }
  | { readonly kind: 'list'; readonly element: z.ZodType }
  | { readonly kind: 'leaf'; readonly type: string };

interface Definition {
  readonly type: string;
  readonly innerType?: z.ZodType;
  readonly element?: z.ZodType;
  readonly options?: readonly z.ZodType[];
  readonly shape?: Readonly<Record<string, z.ZodType>>;
}

const definitionOf = (schema: z.ZodType) => schema.def as unknown as Definition;

/** The schema below `nullable`, and whether there was one. */
export function bare(schema: z.ZodType): {
  readonly schema: z.ZodType;
  readonly isNullable: boolean;
} {
  const { type, innerType } = definitionOf(schema);
  if (type === 'nullable' && innerType !== undefined)
    return { schema: innerType, isNullable: true };
  return { schema, isNullable: false };
}

export function nodeOf(schema: z.ZodType): Node {
  const { type, shape, element } = definitionOf(schema);
  if (type === 'object' && shape !== undefined) return { kind: 'object', fields: shape };
  if (type === 'array' && element !== undefined) return { kind: 'list', element };
  return { kind: 'leaf', type: schema.description ?? type };
}

/** The alternatives of a union; none where there is no choice. */
export function optionsOf(schema: z.ZodType): readonly z.ZodType[] {
  const { type, options = [] } = definitionOf(schema);
  return type === 'union' ? options : [];
}
