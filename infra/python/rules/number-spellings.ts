/** One number in its other spellings, each of which the program reads back with `int` or a slice. */

interface WrittenInteger {
  /** In decimal; empty for what is no integer. */
  readonly id: string;
  /** Was it written in decimal digits? */
  readonly isPlain: boolean;
}

const integerMax = 10n ** 20n;

/**
 * Up to 32 bits in hexadecimal are a constant of a hash function or a colour, beyond that a number
 * like any other. What is written in octal or binary is neither.
 */
export function integerOf(text: string): WrittenInteger {
  const digits = text.replaceAll('_', '').toLowerCase();
  if (/^\d+$/.test(digits)) return { id: digits, isPlain: true };
  if (/^0[xob]/.test(digits)) {
    const value = BigInt(digits);
    const isHex = digits.startsWith('0x');
    const isConstant = isHex && value <= 0xffffffffn;
    return { id: isConstant || value >= integerMax ? '' : String(value), isPlain: isHex };
  }
  const value = Number(digits);
  return { id: Number.isSafeInteger(value) ? String(value) : '', isPlain: false };
}

/**
 * Every decimal digit that `int` takes as the ASCII one, and other characters after NFKC, one by one: thousands of
 * marks behind a letter would be put in order, and nothing could end that.
 */
export function asciiDigits(text: string): string {
  if (!/[\u0080-\uffff]/.test(text)) return text;
  return text
    .replace(/\P{ASCII}/gu, (character) => character.normalize('NFKC'))
    .replace(/(?![0-9])\p{Nd}/gu, digitOf);
}

/** Unicode keeps the ten digits of a script together, in order. */
function digitOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  let zero = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String((code - zero) % 10);
}

/** Without underscores between thousands, `.0` behind a number, and a sign, letters or zeros before an id. */
export function undisguised(text: string, pattern: string): string {
  if (!/\d/.test(text)) return text;
  const whole = wholeOf(pattern);
  return text
    .replace(/(?<![\d_])\d{1,3}(?:_\d{3})+(?![\d_])/g, (number) => number.replaceAll('_', ''))
    .replace(/(?<=\d)\.0+(?![\w.])/g, '')
    .replace(/(?<![\w.+])[+-]?[A-Za-z_]{0,3}(\d+)(?!\w|\.\d)/g, (word, digits: string) => {
      const id = digits.replace(/^0+/, '');
      return whole.test(id) ? id : word;
    });
}

/** The expression of the last pattern: a file has one, and thousands of texts. */
export function remembered(make: (pattern: string) => RegExp): (pattern: string) => RegExp {
  let last: { pattern: string; made: RegExp } | null = null;
  return (pattern) => {
    if (last?.pattern !== pattern) last = { pattern, made: make(pattern) };
    return last.made;
  };
}

/** An id and nothing else. */
export const wholeOf = remembered((pattern) => new RegExp(`^(?:${pattern})$`));
