/** Other spellings of a file that mean the same to CPython. Every choice comes from the seed. */
export interface Mutator {
  readonly name: string;
  /** Null where the file offers nothing to change. */
  mutate(source: string, pick: (below: number) => number): string | null;
}

const indented = (source: string): string => source.replace(/^(?=.)/gm, '    ');
const isPlain = (source: string): boolean =>
  !/"""|'''|\\\n|\f|\r|^\ufeff|coding|__future__|^\s*global |\bstar\b|import \*/m.test(source);

// Letters that NFKC folds to the one in an identifier.
const twins: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  [...'abcdefghijklmnopqrstuvwxyz'].map((letter, index) => [
    letter,
    [0xff41, 0x1d41a, 0x1d4ea, 0x1d5ba, 0x1d68a].map((first) =>
      String.fromCodePoint(first + index),
    ),
  ]),
);

const words = /(?<![\w"'.\\%{}])[a-z_]{4,}(?=\()|(?<=\.)[a-z_]{4,}/g;

function withTwin(source: string, pick: (below: number) => number): string | null {
  if (/["'].*["']/.test(source.replace(/^.*["'].*$/gm, '')) || !isPlain(source)) return null;
  const lines = source.split('\n');
  const open = lines.flatMap((line, index) => (/["'\\#]/.test(line) ? [] : [index]));
  const places = open.flatMap((index) =>
    [...(lines[index] ?? '').matchAll(words)].map((match) => [index, match] as const),
  );
  const place = places[pick(Math.max(1, places.length))];
  if (place === undefined) return null;
  const [line, { index, 0: word }] = place;
  const letters = [...word].flatMap((letter, at) => (letter in twins ? [at] : []));
  const at = letters[pick(Math.max(1, letters.length))];
  const twin = at === undefined ? undefined : twins[word[at] ?? '']?.[pick(5)];
  if (at === undefined || twin === undefined) return null;
  const text = lines[line] ?? '';
  lines[line] = text.slice(0, index + at) + twin + text.slice(index + at + 1);
  return lines.join('\n');
}

/** `"name"` becomes `"na" "me"`, of a plain literal. */
function withSplitText(source: string, pick: (below: number) => number): string | null {
  if (!isPlain(source)) return null;
  const literals = [...source.matchAll(/(?<![\w"'{])"([\w./ +()-]{2,})"(?!["'\w])/g)].filter(
    ({ index }) => !/f"[^"\n]*$|'[^'\n]*$/.test(source.slice(0, index)),
  );
  const literal = literals[pick(Math.max(1, literals.length))];
  if (literal?.[1] === undefined) return null;
  const cut = 1 + pick(literal[1].length - 1);
  const halves = `("${literal[1].slice(0, cut)}" "${literal[1].slice(cut)}")`;
  return source.slice(0, literal.index) + halves + source.slice(literal.index + literal[0].length);
}

// Those that rules ask for by name.
const builtins =
  'eval|exec|compile|globals|locals|vars|open|input|breakpoint|help|license|credits|copyright|' +
  'getattr|setattr|delattr|type|super|map|object|isinstance|issubclass|print|str|repr|int|len|hash';

// What means another thing inside a function: there a name that is bound anywhere is local.
const bindsBuiltin = new RegExp(
  String.raw`\b(?:def|class|as|for|case) (?:${builtins})\b|(?:^|[\s(*])(?:${builtins})\)?(?:, ?\w*)? ?(?::|[-+*/%@&|^<>]{0,2}=(?!=))`,
  'm',
);
const changesInFunction = /\bnonlocal\b|locals|vars\(\)|globals|\bdel |\bexec\(|"global|\bif 0\b/;
const isSameInFunction = (source: string): boolean => {
  // As CPython reads names: after `twin letters` a builtin is bound under another spelling of it.
  const read = source.normalize('NFKC');
  return isPlain(read) && !changesInFunction.test(read) && !bindsBuiltin.test(read);
};

const builtinNames = new RegExp(String.raw`(?<![\w.])(?:${builtins})\b`, 'g');
const bindInFront = [
  (name: string) => `${name} = ${name}\n`,
  (name: string) => `if 0:\n    ${name} = None\n`,
];

/** Every builtin that the file names bound in front of it, once by itself and once never. */
export function boundInFront(source: string): string[] {
  if (/^\ufeff|coding|__future__/.test(source)) return [];
  const names = new Set(source.match(builtinNames));
  return [...names].flatMap((name) => bindInFront.map((bind) => `${bind(name)}${source}`));
}

const dead = [
  'class Ranker:\n    limit = 3\n\n    def rank(self, offers):\n        return sorted(offers, key=len)[: self.limit]\n',
  'def unused(task, limit=5):\n    """Ranks what was found."""\n    return [item for item in task if item][:limit]\n',
  'PROMPT = "Choose the best offer for {query}"\n',
  'if False:\n    pass\n',
];

/** The last line, `R = value`, with the value passed on by something that changes nothing. */
const carriers = [
  'R = [VALUE][0]',
  'R = {"r": VALUE}["r"]',
  'R = (lambda r: r)(VALUE)',
  'R, = (VALUE,)',
  'R = (VALUE if True else None)',
  'R = next(iter([VALUE]))',
  'R = (carried := VALUE)',
  'R = [each for each in [VALUE]][0]',
  'def carry(r=VALUE):\n    return r\nR = carry()',
  'for R in [VALUE]:\n    pass',
  'try:\n    R = VALUE\nfinally:\n    pass',
  'match VALUE:\n    case carried:\n        R = carried',
  'if True:\n    R = VALUE',
  'while True:\n    R = VALUE\n    break',
];

export const mutators: readonly Mutator[] = [
  {
    name: 'dead code around',
    mutate: (source, pick) =>
      isPlain(source) ? `${dead[pick(dead.length)]}${source}${dead[pick(dead.length)]}` : null,
  },
  {
    name: 'carried result',
    mutate(source, pick) {
      const last = /^R = ([^\n=].*)\n$/m.exec(source);
      if (last?.[1] === undefined || last.index + last[0].length !== source.length) return null;
      const carrier = carriers[pick(carriers.length)] ?? '';
      const [before, after] = carrier.split('VALUE');
      return `${source.slice(0, last.index)}${before}(${last[1]})${after}\n`;
    },
  },
  {
    name: 'in a function',
    mutate: (source) =>
      isSameInFunction(source) ? `def run():\n    global R\n${indented(source)}run()\n` : null,
  },
  {
    name: 'under a condition',
    mutate: (source) => (isPlain(source) ? `if 1 < 2:\n${indented(source)}` : null),
  },
  {
    name: 'in try',
    mutate: (source) =>
      isPlain(source) ? `try:\n${indented(source)}except KeyboardInterrupt:\n    raise\n` : null,
  },
  {
    name: 'bound in front',
    mutate(source, pick) {
      const found = isPlain(source) ? boundInFront(source) : [];
      return found[pick(Math.max(1, found.length))] ?? null;
    },
  },
  { name: 'twin letters', mutate: withTwin },
  { name: 'split text', mutate: withSplitText },
  {
    name: 'carriage returns',
    mutate: (source) => (isPlain(source) ? source.replaceAll('\n', '\r') : null),
  },
  {
    name: 'windows line ends',
    mutate: (source) => (isPlain(source) ? source.replaceAll('\n', '\r\n') : null),
  },
  {
    name: 'continued lines',
    mutate: (source) =>
      isPlain(source) ? source.replace(/^(R) = (?=[^\n=])/m, '$1 = \\\n  ') : null,
  },
  {
    name: 'renamed result',
    mutate: (source) =>
      isPlain(source) && !/["'#]/.test(source)
        ? `${source.replace(/\bR\b/g, 'found')}R = found\n`
        : null,
  },
];

/** A small generator (mulberry32): the same seed gives the same mutants on every machine. */
export function pickerOf(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** One to three mutations of a file, the last that could be made; null where none could. */
export function mutantOf(source: string, seed: number): string | null {
  const pick = pickerOf(seed);
  let mutant: string | null = null;
  for (let left = 1 + pick(3); left > 0; left -= 1) {
    mutant = mutators[pick(mutators.length)]?.mutate(mutant ?? source, pick) ?? mutant;
  }
  return mutant;
}
