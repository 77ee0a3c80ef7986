import type { z } from 'zod';
import { type CodeRow, codes } from '../spec/codes.ts';
import type { Field, Fields, RouteRow } from '../spec/routes/route-row.ts';
import { routes } from '../spec/routes.ts';
import { matches } from '../spec/rows.ts';
import { bare, nodeOf, optionsOf } from '../spec/schema-walk.ts';
import { valueLists } from '../spec/values.ts';

/** A JSON schema of the description, as far as it is compared. */
export interface Described {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Described[];
  readonly oneOf?: readonly Described[];
  readonly allOf?: readonly Described[];
  readonly properties?: Readonly<Record<string, Described>>;
  readonly required?: readonly string[];
  readonly items?: Described;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly default?: unknown;
}

type Content = Readonly<Record<string, { readonly schema: Described }>>;

export interface Operation {
  readonly deprecated?: boolean;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema: Described;
  }[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

export interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas?: Readonly<Record<string, Described>> };
}

export const routesOf = (...patterns: readonly string[]): readonly [string, RouteRow][] =>
  Object.entries<RouteRow>(routes).filter(([id]) =>
    patterns.some((pattern) => matches(id, pattern)),
  );

/** The description's differences from the table, each as a sentence. */
export class Comparison {
  readonly differences: string[] = [];
  readonly #document: Description;

  constructor(document: Description) {
    this.#document = document;
  }

  route(id: string, row: RouteRow): void {
    const operation = this.#document.paths[row.path]?.[row.method.toLowerCase()];
    if (operation === undefined) {
      this.#differ(id, 'is not described');
      return;
    }
    const { parameters = [] } = operation;
    this.#is(`${id} deprecated`, operation.deprecated ?? false, row.isDeprecated ?? false);
    this.#is(`${id} security`, schemesOf(operation), schemesByAuth[row.auth]);
    const headers = parameters.filter((each) => each.in === 'header').map(({ name }) => name);
    this.#is(`${id} heeds repeats`, headers.includes('Idempotency-Key'), row.isRepeatable ?? false);
    this.#refusals(id, row, operation);
    for (const part of ['path', 'query'] as const) {
      const given = parameters.filter((each) => each.in === part);
      this.#fields(`${id}.${part}`, (part === 'path' ? row.params : row.query) ?? {}, {
        properties: Object.fromEntries(given.map(({ name, schema }) => [name, schema])),
        required: given.filter(({ required }) => required === true).map(({ name }) => name),
      });
    }
    this.#body(id, row, operation);
    this.#answers(id, row, operation);
  }

  /** Each refusal that the text names has its status among the answers. */
  #refusals(id: string, { refusals = [] }: RouteRow, { responses }: Operation): void {
    for (const word of refusals) {
      const known = Object.values<CodeRow>(codes).filter(({ code }) => code === word);
      const isThere = known.some(({ status }) => String(status) in responses);
      this.#is(`${id} ${word}`, isThere, true);
    }
  }

  #body(id: string, row: RouteRow, { requestBody }: Operation): void {
    if (row.body === undefined) return;
    const { bodyType = 'application/json', isBodyOptional = false } = row;
    const schema = requestBody?.content[bodyType]?.schema;
    if (schema === undefined) {
      this.#differ(id, `takes no ${bodyType}`);
      return;
    }
    this.#is(`${id} body is required`, requestBody?.required ?? false, !isBodyOptional);
    this.#fields(`${id}.body`, row.body, this.#bare(schema).schema);
  }

  #answers(id: string, row: RouteRow, { responses }: Operation): void {
    this.#is(`${id} may be empty`, '204' in responses, row.mayBeEmpty ?? false);
    const ok = responses['200']?.content ?? {};
    if (row.answer === 'open') {
      this.#is(`${id} answers`, '200' in responses, true);
      return;
    }
    const schema = ok['application/json']?.schema;
    if (schema === undefined) {
      this.#differ(id, 'describes no answer');
      return;
    }
    this.#answer(`${id}.200`, row.answer, schema);
  }

  #fields(path: string, fields: Fields, { properties = {}, required = [] }: Described): void {
    this.#is(`${path} names`, Object.keys(properties).toSorted(), Object.keys(fields).toSorted());
    for (const [name, field] of Object.entries(fields)) {
      const described = properties[name];
      if (described === undefined) continue;
      this.#is(`${path}.${name} required`, required.includes(name), field.optional !== true);
      this.#field(`${path}.${name}`, field, described);
    }
  }

  #field(path: string, field: Field, described: Described): void {
    const { schema, isNullable } = this.#bare(described);
    if (field.nullable === true) this.#is(`${path} nullable`, isNullable, true);
    this.#is(`${path} type`, requestTypeOf(schema), field.type);
    const { minimum, minLength, minItems, maximum, maxLength, maxItems } = schema;
    if (field.min !== undefined)
      this.#is(`${path} min`, minimum ?? minLength ?? minItems, field.min);
    if (field.max !== undefined)
      this.#is(`${path} max`, maximum ?? maxLength ?? maxItems, field.max);
    const { words } = field;
    if (words !== undefined) this.#is(`${path} words`, schema.enum, valueLists[words].values);
    this.#is(`${path} default`, described.default ?? schema.default, field.default);
  }

  #answer(path: string, mine: z.ZodType, theirs: Described): void {
    const own = bare(mine);
    const options = optionsOf(own.schema);
    const { schema, isNullable } = this.#bare(theirs);
    this.#is(`${path} nullable`, isNullable, own.isNullable);
    if (options.length > 0) return;
    const node = nodeOf(own.schema);
    if (node.kind === 'list') {
      if (schema.items === undefined) {
        this.#differ(path, 'is no list');
        return;
      }
      this.#answer(`${path}[]`, node.element, schema.items);
      return;
    }
    if (node.kind === 'leaf') {
      this.#is(`${path} type`, typeOf(schema), leafTypes[node.type]);
      return;
    }
    const { properties = {}, required = [] } = schema;
    const names = Object.keys(node.fields).toSorted();
    this.#is(`${path} names`, Object.keys(properties).toSorted(), names);
    this.#is(`${path} required`, required.toSorted(), names);
    for (const [name, field] of Object.entries(node.fields)) {
      const described = properties[name];
      if (described !== undefined) this.#answer(`${path}.${name}`, field, described);
    }
  }

  /** Without references, and without the null among the alternatives. */
  #bare(described: Described): { readonly schema: Described; readonly isNullable: boolean } {
    if (described.$ref !== undefined) {
      const name = described.$ref.split('/').at(-1) ?? '';
      return this.#bare(this.#document.components.schemas?.[name] ?? {});
    }
    const { allOf = [] } = described;
    const [only] = allOf;
    if (allOf.length === 1 && only !== undefined) {
      return this.#bare(only);
    }
    const options = described.anyOf ?? described.oneOf;
    const present = options?.filter((option) => option.type !== 'null') ?? [];
    const [single] = present;
    if (options !== undefined && present.length < options.length && single !== undefined) {
      return { schema: this.#bare(single).schema, isNullable: true };
    }
    if (!Array.isArray(described.type)) return { schema: described, isNullable: false };
    const types: readonly string[] = described.type;
    const [type = ''] = types.filter((each) => each !== 'null');
    return { schema: { ...described, type }, isNullable: types.includes('null') };
  }

  #is(what: string, found: unknown, expected: unknown): void {
    const [a, b] = [found, expected].map((value) => JSON.stringify(value));
    if (a !== b) this.#differ(what, `is ${a}, not ${b}`);
  }

  #differ(what: string, how: string): void {
    this.differences.push(`${what} ${how}`);
  }
}

const signed = ['hotkey', 'nonce', 'session', 'signature', 'timestamp'];
const schemesByAuth: Readonly<Record<RouteRow['auth'], readonly string[]>> = {
  none: [],
  miner: signed,
  validator: signed,
  hotkey: signed,
  operator: ['operator'],
  run: ['run'],
};

const schemesOf = ({ security }: Operation) =>
  [...new Set(security.flatMap((scheme) => Object.keys(scheme)))].toSorted();

const leafTypes: Readonly<Record<string, string>> = {
  string: 'string',
  instant: 'string',
  uuid: 'string',
  sha256: 'string',
  enum: 'string',
  integer: 'integer',
  number: 'number',
  score: 'number',
  boolean: 'boolean',
  literal: 'literal',
  record: 'object',
  map: 'object',
};

function typeOf({ type, const: only }: Described): string | undefined {
  if (only !== undefined) return 'literal';
  return typeof type === 'string' ? type : undefined;
}

function requestTypeOf({ type, format, pattern }: Described): string | undefined {
  if (format === 'uuid') return 'uuid';
  if (format === 'binary') return 'file';
  if (pattern === '^[0-9a-f]{64}$') return 'sha256';
  if (type === 'array') return 'list';
  return typeof type === 'string' ? type : undefined;
}
