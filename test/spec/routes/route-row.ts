import type { z } from 'zod';
import type { Place } from '../place.ts';
import type { ValueListId } from '../values.ts';

/** A parameter or a field of a body, as far as the text binds it. */
export interface Field {
  readonly type:
    | 'string'
    | 'integer'
    | 'number'
    | 'boolean'
    | 'uuid'
    | 'sha256'
    | 'object'
    | 'list'
    | 'file';
  /** Of a number its value, of a string or list its length. */
  readonly min?: number;
  readonly max?: number;
  readonly default?: string | number | boolean;
  readonly words?: ValueListId;
  readonly optional?: true;
  readonly nullable?: true;
}

export type Fields = Readonly<Record<string, Field>>;

export interface RouteRow {
  readonly place: Place;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With `{name}` parameters, as in the text. */
  readonly path: string;
  /** `hotkey`: a miner or a validator. `run`: the inference token of a claim. */
  readonly auth: 'none' | 'miner' | 'validator' | 'hotkey' | 'operator' | 'run';
  readonly params?: Fields;
  readonly query?: Fields;
  readonly body?: Fields;
  /** The body may be absent. */
  readonly isBodyOptional?: true;
  readonly bodyType?: 'multipart/form-data' | 'application/gzip';
  /** `open`: the text says nothing of the answer's fields. */
  readonly answer: z.ZodType | 'open';
  /** 204 is an answer too. */
  readonly mayBeEmpty?: true;
  /** Heeds an Idempotency-Key. */
  readonly isRepeatable?: boolean;
  readonly isDeprecated?: true;
  /** The refusals that the text names for this very route. */
  readonly refusals?: readonly string[];
}

export type RouteRows = Readonly<Record<string, RouteRow>>;

export const uuid: Field = { type: 'uuid' };
export const sha256: Field = { type: 'sha256' };
export const string: Field = { type: 'string' };
export const optionalText: Field = { type: 'string', optional: true, nullable: true };
export const optionalObject: Field = { type: 'object', optional: true, nullable: true };
