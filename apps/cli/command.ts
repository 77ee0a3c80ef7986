import type { Asked } from './asked.ts';
import type { Desk } from './desk.ts';
import type { ExitCode } from './exit-code.ts';

export interface Option {
  readonly says: string;
  /** What its value is called in help; an option without one is a flag. */
  readonly value?: string;
  readonly short?: string;
  /** All values that there are. */
  readonly among?: readonly string[];
  /** The value is a file, which shells complete. */
  readonly isFile?: boolean;
  /** It has to be given. */
  readonly isRequired?: boolean;
}

/** An argument that stands by its place. */
export interface Place {
  readonly name: string;
  readonly says: string;
  readonly isOptional?: boolean;
  readonly isFile?: boolean;
  readonly among?: readonly string[];
}

export type Options = Readonly<Record<string, Option>>;

/** One command: what people read of it, what it takes, and what it does. */
export interface Command {
  /** As typed after `paddock`: `submit`, `credentials set`. */
  readonly name: string;
  readonly says: string;
  readonly places?: readonly Place[];
  readonly options?: Options;
  /** Paragraphs below the options. */
  readonly more?: string;
  /** Whole lines, each with what it is for. */
  readonly examples: readonly (readonly [line: string, says: string])[];
  readonly run: (asked: Asked, desk: Desk) => Promise<ExitCode>;
}

/** Taken by every command. */
export const commonOptions: Options = {
  url: { value: 'BASE', says: 'the service (PADDOCK_URL; else where you signed in last)' },
  token: {
    value: 'TOKEN',
    says: 'instead of the session; others on this machine may see it: PADDOCK_TOKEN is safer',
  },
  json: { says: 'for programs: what the service answered, as JSON' },
  help: { says: 'show this', short: 'h' },
};
