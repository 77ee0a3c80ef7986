/**
 * Is a text encoded data? Each test is far above what honest code holds (a SHA-512 digest, an API
 * key, an alphabet, a colour map, percent-encoded words) and below what the answers to a suite of
 * thirty tasks need. Prose, word lists and prompts of any length and language pass all of them.
 */

const shortestEncoded = 64;
const hexRunMin = 160;
const base64RunMin = 200;
const denseRunMin = 250;
const binaryLengthMin = 120;
const bitRunMin = 200;
const escapedRunMin = 24;
const spelledNumbersMin = 48;
const digitsMin = 120;

export function isEncoded(value: string): boolean {
  if (value.length < shortestEncoded) return false;
  if (isWhitespaceCode(value) || isInvisible(value) || isEscaped(value)) return true;
  if (value.length < binaryLengthMin) return false;
  // Blobs are often wrapped at 76 characters.
  // Lines are trimmed one by one: looking for blanks around a line feed is quadratic in the blanks.
  const joined = value
    .split('\n')
    .map((line) => line.trim())
    .join('');
  return (
    hasEncodedRun(joined) ||
    isSplitBase64(value) ||
    isSplitHex(value) ||
    isDigitText(value) ||
    isBinary(value)
  );
}

function hasEncodedRun(text: string): boolean {
  return (
    runs(text, /[0-9a-fA-F]+/g, hexRunMin).some((run) => new Set(run).size >= 10) ||
    runs(text, /[A-Z2-7]+/g, base64RunMin).some((run) => isSpread(run, 4.3, /[2-7]/g)) ||
    runs(text, /[A-Za-z0-9+/_=-]+/g, base64RunMin).some(isBase64) ||
    runs(text, /[!-~]+/g, denseRunMin).some((run) => bitsPerCharacter(run) > 5.6) ||
    runs(text, /[01]+/g, bitRunMin).some((run) => isSpread(run, 0.8, /1/g))
  );
}

function runs(text: string, pattern: RegExp, lengthMin: number): string[] {
  return Array.from(text.matchAll(pattern), ([run]) => run).filter(
    (run) => run.length >= lengthMin,
  );
}

function isSpread(text: string, bitsMin: number, digits: RegExp): boolean {
  const share = shareOf(text, digits);
  return share > 0.08 && share < 0.6 && bitsPerCharacter(text) > bitsMin;
}

/** Random base64 changes class at two of three characters, camelCase and paths at one of five. */
function isBase64(run: string): boolean {
  const [bits, changes] = [bitsPerCharacter(run), classChanges(run)];
  // Digits alone use a third of base64's characters.
  const isLikely = (bits > 4.7 && changes > 0.35) || (bits > 4 && changes > 0.45);
  return isLikely && isMixed(run, 0.1);
}

function isMixed(text: string, shareMin: number): boolean {
  return shareOf(text, /[A-Z]/g) > shareMin && shareOf(text, /[a-z]/g) > shareMin;
}

function shareOf(text: string, pattern: RegExp): number {
  return (text.match(pattern)?.length ?? 0) / text.length;
}

/** Shannon entropy: random base64 has 6 bits, base85 6.4, English without spaces about 4.2. */
function bitsPerCharacter(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values())
    bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

function classChanges(text: string): number {
  let changes = 0;
  for (let at = 1; at < text.length; at += 1) {
    if (classOf(text.charCodeAt(at)) !== classOf(text.charCodeAt(at - 1))) changes += 1;
  }
  return changes / text.length;
}

function classOf(code: number): number {
  if (code >= 48 && code <= 57) return 0;
  if (code >= 65 && code <= 90) return 1;
  return code >= 97 && code <= 122 ? 2 : 3;
}

/** Base64 cut into words: capitals inside words, and digits, where a language has neither. */
function isSplitBase64(value: string): boolean {
  const words = value.match(/[A-Za-z0-9+/=_-]{4,}/g) ?? [];
  const inner = words.filter((word) => /[a-z0-9][A-Z]|[A-Z][a-z0-9][A-Z]/.test(word));
  const joined = words.join('');
  if (joined.length < base64RunMin || inner.length < words.length * 0.5) return false;
  const digits = shareOf(joined, /[0-9]/g);
  return digits > 0.03 && digits < 0.4 && bitsPerCharacter(joined) > 4.7 && isMixed(joined, 0.1);
}

// Palettes are lists of six hexadecimal digits, so those may be longer.
const paletteMin = 1200;

function isSplitHex(value: string): boolean {
  const words = value.match(/(?<![#0-9a-zA-Z])[0-9a-fA-F]{4,}(?![0-9a-zA-Z])/g) ?? [];
  const mixed = words.filter((word) => /[0-9]/.test(word) && /[a-fA-F]/.test(word));
  const { length } = words.join('');
  const colours = words.filter((word) => word.length === 6).length > words.length * 0.9;
  return (
    length >= (colours ? paletteMin : hexRunMin) &&
    length > value.length * 0.6 &&
    mixed.length > words.length * 0.5
  );
}

/** Digits without words between them, in numbers too long for prices, sizes, years and postcodes. */
function isDigitText(value: string): boolean {
  const numbers = value.match(/(?<![0-9.])[0-9]+(?![0-9.])/g) ?? [];
  const { length } = numbers.join('');
  return length >= digitsMin && length > value.length * 0.6 && length > numbers.length * 7;
}

/** `%35%30`, `&#53;`, `\x35` spelled out, where each stands for plain ASCII. */
function isEscaped(value: string): boolean {
  return escapedPatterns.some((pattern) => pattern.test(value));
}

const escapedPatterns = [
  '%[2-7][0-9a-fA-F]',
  '&#(?:x[2-7][0-9a-fA-F]|[3-9][0-9]|1[0-2][0-9]);',
].map((one) => new RegExp(`(?:${one}){${escapedRunMin}}`));
escapedPatterns.push(new RegExp(`(?:\\\\(?:x|u00)[2-7][0-9a-fA-F]){${escapedRunMin}}`));

/** Character codes as numbers, for a file that turns numbers into characters. */
export function spellsText(codes: readonly number[]): boolean {
  if (codes.length < spelledNumbersMin) return false;
  const falls = codes.filter((code, i) => code < (codes[i - 1] ?? 0)).length;
  const printable = codes.filter((code) => code >= 32 && code < 127).length;
  return printable > codes.length * 0.95 && falls > codes.length * 0.2;
}

export function codesIn(value: string): number[] {
  if (value.length < spelledNumbersMin * 2 || !/^[\d\s,;|:.-]+$/.test(value)) return [];
  return (value.match(/\d+/g) ?? []).map(Number);
}

function isWhitespaceCode(value: string): boolean {
  if (value.trim() !== '') return false;
  const tabs = shareOf(value, /\t/g);
  return tabs > 0.15 && tabs < 0.85 && /\t +\t+ +\t/.test(value);
}

/** Format and private-use characters; joiners of emoji and Persian are a third of a text at most. */
function isInvisible(value: string): boolean {
  return shareOf(value, /[\p{Cf}\p{Co}]/gu) > 0.4;
}

function isBinary(value: string): boolean {
  let controls = 0;
  for (let at = 0; at < value.length; at += 1) {
    const code = value.charCodeAt(at);
    // Latin-1 letters are kept apart from C1 controls, so that European prose is not binary.
    const isControl =
      (code < 32 && code !== 9 && code !== 10 && code !== 13) || (code > 126 && code < 160);
    if (isControl) controls += 1;
  }
  return controls > value.length * 0.1;
}

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const hash = /^(?=.*[0-9])(?=.*[a-f])[0-9a-f]{16,}$/i;
const mixed = /^(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9])[A-Za-z0-9+/=]{16,}$/;

/** Hashes, identifiers and base64, but not slugs, model names, camelCase or paths. */
export function opaqueWords(value: string): string[] {
  if (value.length < 16) return [];
  const words = value.match(/[A-Za-z0-9+/=-]{16,}/g) ?? [];
  return words.filter(
    (word) => uuid.test(word) || hash.test(word) || (mixed.test(word) && classChanges(word) > 0.35),
  );
}

/** Is an identifier one of them, behind what makes it a name: `x` and the like, and underscores? */
export function isOpaqueName(name: string): boolean {
  const bare = name.replaceAll('_', '');
  return [bare, bare.slice(1)].some((word) => opaqueWords(word).length > 0);
}

/** A short hash, as what a task's text was turned into to look its answer up. */
export function isShortHash(value: string): boolean {
  return /^(?=.*[0-9])(?=.*[a-f])[0-9a-f]{8,128}$/.test(value) || uuid.test(value);
}
