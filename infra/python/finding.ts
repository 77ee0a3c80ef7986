import type { Violation } from '../ports/code-analysis.ts';
import type { SourceFile } from './source-file.ts';

/** What a rule belongs to, and the way out for a miner who broke it in good faith. */
export interface RuleWords {
  readonly category: 'IMPORTS' | 'DYNAMIC_CODE' | 'INTROSPECTION' | 'FILES' | 'INTEGRITY';
  readonly severity: 'error' | 'warning';
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
    advice: 'Use a listed attribute instead, or write the few lines yourself.',
  },
  'star-import': { ...imports, advice: 'Import the names you use, one by one.' },
  'import-in-class': { ...imports, advice: 'Move the import to the top of the file.' },
  'module-as-value': {
    ...imports,
    advice: 'Use the function you need, as in json.dumps(x), where you need it.',
  },
  'module-patch': { ...imports, advice: 'Write a function of your own and call that instead.' },
  'forbidden-builtin': {
    ...dynamicCode,
    advice: 'Call functions by their names; json.loads and ast.literal_eval read data.',
  },
  'dynamic-attribute': {
    ...dynamicCode,
    advice: "Write the name out, as in getattr(x, 'price', None), or keep the values in a dict.",
  },
  'dynamic-class': { ...dynamicCode, advice: "Use 'class Name:', @dataclass or NamedTuple." },
  'dunder-access': {
    ...introspection,
    advice: 'Use type(x).__name__, dataclasses.asdict(x) or a method of your own instead.',
  },
  'frame-access': {
    ...introspection,
    advice: 'Use logging or traceback.format_exc() to see where an error comes from.',
  },
  'format-traversal': {
    ...introspection,
    advice: 'Use an f-string, or hand the value itself to format().',
  },
  'file-access': {
    ...files,
    advice: 'Keep what the agent needs in variables; print and logging may write to the console.',
  },
  'encoded-data': {
    ...integrity,
    advice: 'Use readable text, lists and dicts; what an agent knows must be readable in its file.',
  },
  'opaque-table': {
    ...integrity,
    advice: 'Use readable keys and values; an agent must find its answers while it runs.',
  },
  'answer-table': {
    ...integrity,
    advice: 'Use rules or a model that work for any task; an agent must find its answers itself.',
  },
  'hard-coded-product-id': {
    ...integrity,
    advice:
      'Use the ids that a search returns; for examples and tests use made-up ones such as 1234567890.',
  },
} as const satisfies Readonly<Record<string, RuleWords>>;

export type Rule = keyof typeof rules;

export interface Finding {
  readonly rule: Rule;
  /** What was found, without a full stop; the rule's advice follows. */
  readonly message: string;
  /** Byte offset. */
  readonly at: number;
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
  return `${first}. ${advice}`;
}
