/**
 * Programs made at random from Python 3.11's grammar. Most compile; some break a rule that only
 * CPython's compiler knows (a stray `return`, a name used before `global`), which is wanted too.
 */
import type { Dice } from '../dice.ts';

const words = [
  'a',
  'b',
  'item',
  'price',
  'größe',
  'ﬁt',
  'match',
  'case',
  '_',
  'type',
  'x1',
  'self',
];
const texts = [
  ...['""', "'a'", '"\\n\\x41\\u00e9"', "'''a\nb'''", 'r"\\d+"', 'b"\\x00\\377"', '"\\N{BULLET}"'],
  ...['u"é"', 'Rb"\\u0041"', '"a" "b"', "'\\\n'", '"\\ud800"', '"""\\""""', "'{}' 'x'"],
];
const numbers = [
  '0',
  '1_000',
  '0x_ff',
  '0b1',
  '0o7',
  '1.5e-3',
  '2j',
  '.5',
  '10**20',
  '1if 1else 2',
];
const joins = ['+', '-', '*', '/', '//', '%', '@', '**', '|', '&', '^', '<<', '>>'];
const compares = ['<', '>', '<=', '>=', '==', '!=', 'in', 'not in', 'is', 'is not', 'and', 'or'];
const assigns = ['+=', '-=', '*=', '/=', '//=', '%=', '@=', '**=', '|=', '&=', '^=', '<<=', '>>='];

type Maker = () => string;

export class ProgramWriter {
  readonly #dice: Dice;
  #depth = 0;
  #inFunction = false;
  #inLoop = false;
  #inClauses = false;

  constructor(dice: Dice) {
    this.#dice = dice;
  }

  program(): string {
    return this.#many(1, 6, () => this.#statement('')).join('');
  }

  #many<T>(min: number, max: number, make: () => T): T[] {
    return Array.from({ length: this.#dice.whole(min, max) }, make);
  }

  /** One of the forms; deep down only the first two, which end. */
  #one(forms: readonly Maker[]): string {
    this.#depth += 1;
    const choice = this.#dice.whole(0, this.#depth > 4 ? 1 : forms.length - 1);
    const made = forms[choice]?.() ?? '';
    this.#depth -= 1;
    return made;
  }

  #word(): string {
    return this.#dice.pick(words) ?? 'a';
  }

  #space(): string {
    return this.#dice.pick([' ', ' ', ' ', '  ', '\t', ' \\\n ', '\f']);
  }

  #list(make: Maker, max = 3): string {
    const made = this.#many(1, max, make).join(', ');
    return this.#dice.chance(0.2) ? `${made},` : made;
  }

  #expression = (): string =>
    this.#one([
      () => this.#word(),
      () => this.#dice.pick([...texts, ...numbers, 'None', 'True', '...']) ?? '1',
      () => `${this.#primary()}${this.#space()}.${this.#word()}`,
      () => `${this.#primary()}(${this.#arguments()})`,
      () => `${this.#primary()}[${this.#index()}]`,
      () => `(${this.#expression()})`,
      () => `(${this.#list(this.#starred)})`,
      () => `[${this.#list(this.#starred)}]`,
      () => `{${this.#list(this.#starred)}}`,
      () => `{${this.#list(this.#pair)}}`,
      () => this.#comprehension(),
      () =>
        `(${this.#expression()}${this.#space()}${this.#dice.pick(joins)} ${this.#expression()})`,
      () => `(${this.#expression()} ${this.#dice.pick(compares)} ${this.#expression()})`,
      () => `(${this.#expression()} if ${this.#expression()} else ${this.#expression()})`,
      () => `(${this.#dice.pick(['-', '+', '~', 'not '])}${this.#expression()})`,
      () => `(lambda ${this.#parameters(false)}: ${this.#expression()})`,
      () => this.#inside(!this.#inClauses, () => `(${this.#word()} := ${this.#expression()})`),
      () => this.#formatted(),
      () =>
        this.#inside(
          this.#inFunction,
          () => `(yield ${this.#dice.pick(['', 'from '])}${this.#expression()})`,
        ),
      () => this.#inside(false, () => `(await ${this.#expression()})`),
    ]);

  /** Something that belongs inside a function or a loop; once in a while it stands outside. */
  #inside(isThere: boolean, make: Maker): string {
    return isThere || this.#dice.chance(0.02) ? make() : 'None';
  }

  #within(where: { function?: boolean; loop?: boolean }, make: Maker): string {
    const before = [this.#inFunction, this.#inLoop] as const;
    [this.#inFunction, this.#inLoop] = [
      where.function ?? this.#inFunction,
      where.loop ?? this.#inLoop,
    ];
    const made = make();
    [this.#inFunction, this.#inLoop] = before;
    return made;
  }

  /** What a dot, a bracket or a call may follow. */
  #primary(): string {
    return this.#dice.chance(0.4) ? this.#word() : `(${this.#expression()})`;
  }

  #starred = (): string => `${this.#dice.chance(0.15) ? '*' : ''}${this.#expression()}`;

  #pair = (): string =>
    this.#dice.chance(0.1) ? `**${this.#word()}` : `${this.#expression()}: ${this.#expression()}`;

  #arguments(): string {
    if (this.#dice.chance(0.1)) return `${this.#expression()}${this.#clauses()}`;
    const named = () => `k${this.#dice.whole(0, 999)}=${this.#expression()}`;
    const given = [
      ...this.#many(0, 2, this.#starred),
      ...(this.#dice.chance(0.1) ? [`a:=${this.#word()}`] : []),
      ...this.#many(0, 2, named),
      ...(this.#dice.chance(0.1) ? [`**${this.#expression()}`] : []),
    ];
    if (this.#dice.chance(0.02)) given.reverse();
    return `${given.join(', ')}${given.length > 0 && this.#dice.chance(0.2) ? ',' : ''}`;
  }

  #index(): string {
    const part = () => (this.#dice.chance(0.4) ? '' : this.#expression());
    const slice = () => `${part()}:${part()}${this.#dice.chance(0.3) ? `:${part()}` : ''}`;
    return this.#list(() => (this.#dice.chance(0.3) ? slice() : this.#starred()), 2);
  }

  #clauses(): string {
    const one = () => {
      const wait = this.#dice.chance(0.005) ? 'async ' : '';
      const ifs = this.#many(0, 2, () => ` if ${this.#expression()}`).join('');
      return ` ${wait}for ${this.#target()} in ${this.#expression()}${ifs}`;
    };
    this.#inClauses = true;
    const clauses = this.#many(1, 2, one).join('');
    this.#inClauses = false;
    return clauses;
  }

  #comprehension(): string {
    const [open, close] = this.#dice.pick<readonly [string, string]>([
      ['(', ')'],
      ['[', ']'],
      ['{', '}'],
    ]);
    const pair = () => `${this.#expression()}: ${this.#expression()}`;
    const element = open === '{' && this.#dice.chance(0.5) ? pair() : this.#expression();
    return `${open}${element}${this.#clauses()}${close}`;
  }

  #formatted(): string {
    const field = (): string => {
      const inner = this.#dice.pick([
        'a',
        'b.c',
        'd[0]',
        'e(1, x=2)',
        ' {1: 2}',
        '(lambda: 1)',
        '*a, b',
        'not a',
        '(x := 1)',
      ]);
      const suffix = this.#dice.pick([
        '',
        '=',
        ' = ',
        '!r',
        '=!s',
        ':>10',
        ':{w}',
        '!a:{w}.{p!r}',
        ':%Y-%m',
      ]);
      return `{${inner}${suffix}}`;
    };
    const piece = (): string =>
      this.#dice.pick<Maker>([
        field,
        field,
        () => 'text',
        () => '{{',
        () => '}}',
        () => '\\t',
        () => '\\N{BULLET}',
        () => 'é',
      ])();
    const quote = this.#dice.pick(['"', "'", '"""', "'''"]);
    const prefix = this.#dice.pick(['f', 'F', 'rf', 'fR']);
    const other = this.#dice.chance(0.2) ? ' "tail"' : '';
    return `${prefix}${quote}${this.#many(0, 4, piece).join('')}${quote}${other}`;
  }

  #target = (): string =>
    this.#one([
      () => this.#word(),
      () => this.#word(),
      () => `${this.#word()}.${this.#word()}`,
      () => `${this.#word()}[${this.#expression()}]`,
      () => `(${this.#target()}, ${this.#target()})`,
      () => `[${this.#target()}, *${this.#word()}]`,
    ]);

  #parameters(annotated: boolean): string {
    const note = () => (annotated && this.#dice.chance(0.3) ? `: ${this.#expression()}` : '');
    const plain = () => `${this.#word()}${this.#dice.whole(0, 99)}${note()}`;
    const parts = this.#many(0, 3, plain);
    if (parts.length > 0 && this.#dice.chance(0.2)) parts.push('/');
    if (this.#dice.chance(0.3)) parts.push(`d${note()}=${this.#expression()}`);
    if (this.#dice.chance(0.2)) parts.push(`*rest${note()}`, `k${note()}=${this.#expression()}`);
    else if (this.#dice.chance(0.1)) parts.push('*', `only${note()}`);
    if (this.#dice.chance(0.2)) parts.push(`**more${note()}`);
    return parts.join(', ');
  }

  #pattern = (): string =>
    this.#one([
      () => this.#word(),
      () => this.#dice.pick(['1', '-2.5', '"a"', 'None', '1+2j', 'b"x"', '_']),
      () => `${this.#word()}.${this.#word()}`,
      () => `(${this.#pattern()} | ${this.#pattern()})`,
      () => `[${this.#pattern()}, *${this.#word()}]`,
      () => `(${this.#pattern()}, ${this.#pattern()})`,
      () => `{"k": ${this.#pattern()}, **${this.#word()}}`,
      () => `{a.b: ${this.#pattern()}, 1: _}`,
      () => `Shop(${this.#pattern()}, price=${this.#pattern()})`,
      () => `shop.Item()`,
      () => `(${this.#pattern()} as ${this.#word()})`,
    ]);

  #block(indent: string): string {
    const end = this.#dice.pick(['\n', '\n', '\r\n', '  # said\n']);
    if (this.#dice.chance(0.15)) return `: ${this.#simple()}; ${this.#simple()}${end}`;
    const deeper = `${indent}${this.#dice.pick(['  ', '    ', '\t'])}`;
    this.#depth += 1;
    const body = this.#many(1, 3, () => this.#statement(deeper)).join('');
    this.#depth -= 1;
    return `:${end}${this.#dice.pick(['', '\n', '   # note\n', '\f\n'])}${body}`;
  }

  #statement(indent: string): string {
    if (this.#depth > 3 || this.#dice.chance(0.55)) return `${indent}${this.#simple()}\n`;
    const tail = (word: string) =>
      this.#dice.chance(0.3) ? `${indent}${word}${this.#block(indent)}` : '';
    const forms: readonly Maker[] = [
      () =>
        `if ${this.#expression()}${this.#block(indent)}${tail(`elif ${this.#expression()}`)}${tail('else')}`,
      () => `while ${this.#expression()}${this.#loop(indent)}${tail('else')}`,
      () =>
        `for ${this.#target()} in ${this.#list(this.#starred)}${this.#loop(indent)}${tail('else')}`,
      () =>
        `try${this.#block(indent)}${indent}except${this.#dice.pick(['', ' E', ' (E, F) as e', '* E as e'])}${this.#block(indent)}${tail('else')}${tail('finally')}`,
      () => `with ${this.#withItems()}${this.#block(indent)}`,
      () => this.#function(indent),
      () =>
        `${this.#decorators(indent)}class ${this.#word()}${this.#dice.pick(['', '()', `(${this.#arguments()})`])}${this.#within({ function: false, loop: false }, () => this.#block(indent))}`,
      () => this.#matching(indent),
    ];
    return `${indent}${this.#dice.pick(forms)?.() ?? 'pass\n'}`;
  }

  #loop(indent: string): string {
    return this.#within({ loop: true }, () => this.#block(indent));
  }

  #withItems(): string {
    const item = () =>
      `${this.#expression()}${this.#dice.chance(0.5) ? ` as ${this.#target()}` : ''}`;
    const items = this.#many(1, 3, item).join(', ');
    return this.#dice.chance(0.3) ? `(${items}${this.#dice.pick(['', ','])})` : items;
  }

  #decorators(indent: string): string {
    return this.#many(0, 2, () => `@${this.#expression()}\n${indent}`).join('');
  }

  #function(indent: string): string {
    const before = this.#decorators(indent);
    const wait = this.#dice.chance(0.2) ? 'async ' : '';
    const back = this.#dice.chance(0.3) ? ` -> ${this.#expression()}` : '';
    return `${before}${wait}def ${this.#word()}(${this.#parameters(true)})${back}${this.#within({ function: true, loop: false }, () => this.#block(indent))}`;
  }

  #matching(indent: string): string {
    const one = () => {
      const guard = this.#dice.chance(0.3) ? ` if ${this.#expression()}` : '';
      const pattern = this.#dice.pick([this.#pattern, () => `${this.#pattern()}, *_`])();
      return `${indent}  case ${pattern}${guard}${this.#block(`${indent}  `)}`;
    };
    return `match ${this.#list(this.#starred, 2)}:\n${this.#many(1, 3, one).join('')}`;
  }

  #simple = (): string =>
    this.#dice.pick<Maker>([
      () => this.#expression(),
      () => `${this.#target()} = ${this.#list(this.#starred)}`,
      () => `${this.#target()} = ${this.#target()} = ${this.#expression()}`,
      () => `${this.#word()} ${this.#dice.pick(assigns)} ${this.#expression()}`,
      () => `${this.#word()}.${this.#word()}: ${this.#expression()}`,
      () => `${this.#word()}: ${this.#expression()} = ${this.#expression()}`,
      () => `import ${this.#word()}.${this.#word()} as ${this.#word()}, os`,
      () =>
        `from ${this.#dice.pick(['.', '..', '...a', 'a.b', '. .. c'])} import ${this.#word()} as ${this.#word()}, b`,
      () => `from a import (\n b, # why\n c as d,)`,
      () => this.#inside(this.#inFunction, () => `return ${this.#list(this.#starred)}`),
      () => `raise ${this.#expression()} from ${this.#expression()}`,
      () => `assert ${this.#expression()}, ${this.#expression()}`,
      () => `del ${this.#word()}, ${this.#word()}.${this.#word()}, ${this.#word()}[0]`,
      () => this.#inside(this.#inFunction, () => `global g${this.#dice.whole(1, 9)}`),
      () => this.#inside(false, () => `nonlocal ${this.#word()}`),
      () => this.#inside(this.#inLoop, () => this.#dice.pick(['break', 'continue'])),
      () => this.#dice.pick(['pass', 'raise', 'pass']),
      () => this.#inside(this.#inFunction, () => `${this.#word()} = yield`),
      () => `match = case`,
      () => `print(${this.#arguments()})`,
    ])();
}
