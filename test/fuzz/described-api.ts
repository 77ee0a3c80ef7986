import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** As much of JSON Schema as the service's description uses. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: JsonSchema;
}

export interface Operation {
  readonly id: string;
  readonly method: string;
  /** With `{name}` parameters. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  /** Names of the schemes, any of which will do; empty where none is asked for. */
  readonly security: readonly string[];
  readonly body:
    | { readonly mediaType: string; readonly schema: JsonSchema; readonly isRequired: boolean }
    | undefined;
  /** Media types by status. */
  readonly answers: ReadonlyMap<number, readonly string[]>;
}

interface RawOperation {
  readonly operationId: string;
  readonly parameters?: readonly (Omit<Parameter, 'required'> & { readonly required?: boolean })[];
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>>;
  };
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, unknown>> }>
  >;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>;
}

/** What the service's own OpenAPI document says: which requests there are, and which answers. */
export class DescribedApi {
  readonly operations: readonly Operation[];
  readonly #document: Document;
  readonly #ajv: Ajv2020;
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(document: unknown) {
    this.#document = document as Document;
    this.#ajv = new Ajv2020({ strict: false, validateFormats: true });
    addFormats.default(this.#ajv);
    this.#ajv.addSchema(this.#document, 'api');
    this.operations = Object.entries(this.#document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, raw]) => operationOf(path, method, raw)),
    );
  }

  /** Follows references, which only lead into the document itself. */
  resolved(schema: JsonSchema): JsonSchema {
    if (schema.$ref === undefined) return schema;
    let found: unknown = this.#document;
    for (const step of schema.$ref.slice(2).split('/')) {
      found = (found as Record<string, unknown>)[step.replaceAll('~1', '/').replaceAll('~0', '~')];
    }
    return this.resolved(found as JsonSchema);
  }

  /** Why the document does not allow this answer; undefined when it does. */
  objection(operation: Operation, answer: SeenAnswer): string | undefined {
    const mediaTypes = operation.answers.get(answer.status);
    if (mediaTypes === undefined) return `status ${answer.status} is not described`;
    if (answer.text === '') {
      return mediaTypes.length === 0 ? undefined : 'an empty body where one is described';
    }
    const mediaType = answer.contentType.split(';')[0]?.trim() ?? '';
    if (!mediaTypes.includes(mediaType)) return `${mediaType} is not described`;
    if (mediaType !== 'application/json') return undefined;
    const validate = this.#validatorOf(operation, answer.status);
    let body: unknown;
    try {
      body = JSON.parse(answer.text);
    } catch {
      return 'is no JSON';
    }
    if (validate(body)) return undefined;
    const [first] = validate.errors ?? [];
    return `${first?.instancePath} ${first?.message} ${JSON.stringify(first?.params)}`;
  }

  #validatorOf(operation: Operation, status: number): ValidateFunction {
    const pointer = [
      ...['paths', operation.path, operation.method, 'responses', String(status)],
      ...['content', 'application/json', 'schema'],
    ].map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1')));
    const $ref = `api#/${pointer.join('/')}`;
    const known = this.#validators.get($ref) ?? this.#ajv.compile({ $ref });
    this.#validators.set($ref, known);
    return known;
  }
}

export interface SeenAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

function operationOf(path: string, method: string, raw: RawOperation): Operation {
  const [content] = Object.entries(raw.requestBody?.content ?? {});
  return {
    ...{ id: raw.operationId, method, path },
    parameters: (raw.parameters ?? []).map((parameter) => ({ required: false, ...parameter })),
    security: (raw.security ?? []).flatMap((scheme) => Object.keys(scheme)),
    body: content && {
      mediaType: content[0],
      schema: content[1].schema,
      isRequired: raw.requestBody?.required === true,
    },
    answers: new Map(
      Object.entries(raw.responses).map(([status, { content: types = {} }]) => [
        Number(status),
        Object.keys(types),
      ]),
    ),
  };
}
