import type { Owner, Role } from '../endpoint.ts';

/** The parts of an OpenAPI 3.1 document that our own steps read and write. */
export interface ApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: {
    readonly schemas: Record<string, Schema>;
    examples: Record<string, ErrorExample>;
  };
}

export interface ErrorExample {
  readonly summary: string;
  readonly value: unknown;
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly deprecated?: boolean;
  readonly security: readonly Record<string, readonly string[]>[];
  readonly 'x-role': Role;
  readonly 'x-owner'?: Owner;
  readonly parameters?: Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Record<string, Response>;
  /** The name that viewers of OpenAPI know. */
  'x-codeSamples'?: readonly { readonly lang: string; readonly source: string }[];
}

export interface Parameter {
  readonly in: 'path' | 'query' | 'header';
  readonly name: string;
  readonly required?: boolean;
  readonly schema: Schema;
  description?: string;
  example?: unknown;
}

export interface Response {
  readonly headers?: Readonly<Record<string, object>>;
  readonly description: string;
  readonly content?: Content;
}

export type Content = Record<string, MediaType>;

export interface MediaType {
  readonly schema: Schema;
  readonly examples?: Record<string, unknown>;
  example?: unknown;
}

/** The part of JSON Schema 2020-12 that our zod schemas turn into. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly propertyNames?: Schema;
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  minimum?: number;
  maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
}

export interface DescribedOperation {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

export function operationsOf(document: ApiDocument): DescribedOperation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
}
