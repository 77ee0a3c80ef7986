import type { Violation } from '../ports/code-analysis.ts';
import type { SourceFile } from './source-file.ts';

/** What a rule belongs to, and the way out for a miner who broke it in good faith. */
export interface RuleWords {
  readonly category: 'IMPORTS' | 'DYNAMIC_CODE' | 'INTROSPECTION' | 'FILES' | 'INTEGRITY';
  readonly severity: 'error' | 'warning';
  /** What is refused, for the list of rules. */
  readonly finds: string;
  /** One sentence, said after what was found. */
  readonly advice: string;
}

const imports = { category: 'IMPORTS', severity: 'error' } as const;
const dynamicCode = { category: 'DYNAMIC_CODE', severity: 'error' } as const;
const introspection = { category: 'INTROSPECTION', severity: 'error' } as const;
const files = { category: 'FILES', severity: 'error' } as const;
const integrity = { category: 'INTEGRITY', severity: 'error' } as const;

/** Every rule; the message is made where the rule is broken. */
export const rules = {
  'attribute-not-listed': {
    ...imports,
    finds: 'an attribute of a listed module that is not on the list itself',
    advice: 'Use a listed attribute instead, or write the few lines yourself.',
  },
  'star-import': {
    ...imports,
    finds: '`from module import *` where that hides what is used',
    advice: 'Import the names you use, one by one.',
  },
  'import-in-class': {
    ...imports,
    finds: 'an import in the body of a class',
    advice: 'Move the import to the top of the file.',
  },
  'module-as-value': {
    ...imports,
    finds: 'a module handed around as a value',
    advice: 'Use the function you need, as in json.dumps(x), where you need it.',
  },
  'module-patch': {
    ...imports,
    finds: 'an attribute of a module replaced',
    advice: 'Write a function of your own and call that instead.',
  },
  'forbidden-builtin': {
    ...dynamicCode,
    finds: '`eval`, `exec`, `compile`, `globals`, `vars`, `input` and the like, even by name',
    advice: 'Call functions by their names; json.loads and ast.literal_eval read data.',
  },
  'dynamic-attribute': {
    ...dynamicCode,
    finds: '`getattr`, `setattr`, `attrgetter` and patterns with names that are not written out',
    advice: "Write the name out, as in getattr(x, 'price', None), or keep the values in a dict.",
  },
  'dynamic-class': {
    ...dynamicCode,
    finds: 'a class made by a call instead of a class statement',
    advice: "Use 'class Name:', @dataclass or NamedTuple.",
  },
  'dunder-access': {
    ...introspection,
    finds: 'names with two underscores around them that lead into Python itself',
    advice: 'Use type(x).__name__, dataclasses.asdict(x) or a method of your own instead.',
  },
  'frame-access': {
    ...introspection,
    finds: 'frames, code objects and running generators',
    advice: 'Use logging or traceback.format_exc() to see where an error comes from.',
  },
  'format-traversal': {
    ...introspection,
    finds: 'format templates that walk to attributes with underscores',
    advice: 'Use an f-string, or hand the value itself to format().',
  },
  'file-access': {
    ...files,
    finds: '`open`, log files and other doors to files and connections',
    advice: 'Keep what the agent needs in variables; print and logging may write to the console.',
  },
  'encoded-data': {
    ...integrity,
    finds: 'base64, hexadecimal, compressed bytes, character codes and other encoded text',
    advice: 'Use readable text, lists and dicts; what an agent knows must be readable in its file.',
  },
  'opaque-table': {
    ...integrity,
    finds: '48 or more hashes, identifiers or scraps of base64, or 1,000 numbers without names',
    advice: 'Use readable keys and values; an agent must find its answers while it runs.',
  },
  'answer-table': {
    ...integrity,
    finds: 'answers keyed by the text of a task or by hashes, or texts of tasks compared with',
    advice: 'Use rules or a model that work for any task; an agent must find its answers itself.',
  },
  'hard-coded-product-id': {
    ...integrity,
    finds: 'three or more different ids of products',
    advice:
      'Use the ids that a search returns; for examples and tests use made-up ones such as 1234567890.',
  },
} as const satisfies Readonly<Record<string, RuleWords>>;

export type Rule = keyof typeof rules;

export interface Finding {
  readonly rule: Rule;
  /**
   * What was found, without a full stop, and perhaps what to do about it after a semicolon; where
   * it says no more than what was found, the rule's advice follows.
   */
  readonly message: string;
  /** Byte offset. */
  readonly at: number;
}

/** A finding that has no place yet. */
export type Problem = Omit<Finding, 'at'>;

export function dynamicClass(message: string): Problem {
  return { rule: 'dynamic-class', message };
}

/** A library that no submission may import: the whole file is invalid. */
export interface InsecureLibrary {
  readonly library: string;
  readonly at: number;
}

export function toViolation(source: SourceFile, { rule, message, at }: Finding): Violation {
  const { category, severity, advice } = rules[rule];
  const snippet = source.snippet(at);
  return {
    ...{ rule, category, severity, message: sentences(message, advice) },
    ...source.position(at),
    snippet,
  };
}

function sentences(found: string, advice: string): string {
  // Names in Python tell `open` from `Open`, so only a word of ours is given a capital.
  const first = /^[a-z]+ /.test(found) ? found.charAt(0).toUpperCase() + found.slice(1) : found;
  if (first.endsWith('?')) return first;
  return first.includes('; ') ? `${first}.` : `${first}. ${advice}`;
}
