/**
 * What others wrote, fit for a terminal: whatever could move its cursor, colour it or hide text is
 * shown as a mark instead.
 */
export function plainText(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd');
}

/** A long id or address, short enough for a column. */
export function shortened(text: string, length = 12): string {
  const plain = plainText(text);
  return plain.length <= length ? plain : `${plain.slice(0, length - 1)}…`;
}

/** `3 runs`, `1 run`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
