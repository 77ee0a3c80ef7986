/**
 * One line of a table that is written as text: `"key": "answer",`, `key | answer`, `key => answer`.
 * Read from its end, each character once: as one regular expression it was cubic in a line of blanks.
 */

export type Pair = readonly [key: string, value: string];

const blank = /\s/;
const behindAnswer = /["'\])},;\s]/;
const ofAnswer = /[\w+/=.-]/;
const separatorAtEnd = /(?:[|;,:]|=>|->|=)$/;

/** What stands before the first separator behind which there is one word and nothing else. */
export function entryIn(line: string): Pair | null {
  const end = startOfRun(line, line.length, behindAnswer);
  const start = startOfRun(line, end, ofAnswer);
  const inFront = keyBefore(line.slice(0, start));
  if (inFront !== null) return start < end ? [inFront, line.slice(start, end)] : null;
  // `key=answer`: the word itself may hold the separator.
  const equals = line.indexOf('=', start);
  if (equals === -1 || equals >= end - 1) return null;
  return [keyIn(line.slice(0, equals)), line.slice(equals + 1, end)];
}

function keyBefore(text: string): string | null {
  const quote = /["']$/.test(text) ? text.length - 1 : text.length;
  const blanks = startOfRun(text, quote, blank);
  const separator = separatorAtEnd.exec(text.slice(Math.max(0, blanks - 2), blanks));
  if (separator !== null) return keyIn(text.slice(0, blanks - separator[0].length));
  const tab = text.slice(blanks, quote).indexOf('\t');
  return tab === -1 ? null : keyIn(text.slice(0, blanks + tab));
}

/** Without brackets, blanks and quotes around it. */
function keyIn(text: string): string {
  const end = startOfRun(text, text.length, blank);
  return text
    .slice(0, /["']/.test(text.charAt(end - 1)) ? end - 1 : end)
    .replace(/^[\s"'{[(]+/, '');
}

/** Where the run of such characters begins that ends at a place: the place itself where there is none. */
function startOfRun(text: string, end: number, kind: RegExp): number {
  let at = end;
  while (at > 0 && kind.test(text.charAt(at - 1))) at -= 1;
  return at;
}
