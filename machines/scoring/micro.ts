import { divideHalfEven } from './exact.ts';

/** Scores of one run are integers of 10^-6 ("micro"); binary floats end here. */
export const microPerUnit = 1_000_000;
const places = 6;

/**
 * Rounds a JSON number in [0, 1] half to even at six places. Its shortest decimal text is what the
 * sender wrote, so the tie is judged there and not on the binary neighbour.
 */
export function microOfNumber(value: number): number {
  const [mantissa = '0', exponent = '0'] = value.toString().split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  const digits = whole + fraction;
  const scale = fraction.length - Number(exponent);
  return Number(halfEven(BigInt(digits), scale - places));
}

/** Exactly, from a decimal of at most six places in [0, 1]; undefined for any other text. */
export function microOfDecimal(text: string): number | undefined {
  if (!/^(0|1)(\.[0-9]{1,6})?$/.test(text)) return undefined;
  const [whole = '0', fraction = ''] = text.split('.');
  const micro = Number(whole + fraction.padEnd(places, '0'));
  return micro <= microPerUnit ? micro : undefined;
}

/** `digits` × 10^-`drop`, rounded half to even; a negative `drop` only shifts. */
function halfEven(digits: bigint, drop: number): bigint {
  if (drop <= 0) return digits * 10n ** BigInt(-drop);
  return divideHalfEven(digits, 10n ** BigInt(drop));
}
