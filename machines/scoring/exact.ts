/** Integer division, halves to the even neighbour. `denominator` is positive. */
export function divideHalfEven(numerator: bigint, denominator: bigint): bigint {
  let quotient = numerator / denominator;
  let rest = numerator % denominator;
  // Towards minus infinity, so that the rest is never negative.
  if (rest < 0n) {
    quotient -= 1n;
    rest += denominator;
  }
  const twice = rest * 2n;
  const up = twice > denominator || (twice === denominator && quotient % 2n !== 0n);
  return up ? quotient + 1n : quotient;
}

/** The largest integer whose square is not above `value`. */
export function integerSquareRoot(value: bigint): bigint {
  if (value < 2n) return value;
  let root = 1n << BigInt(Math.ceil(value.toString(2).length / 2));
  for (;;) {
    const next = (root + value / root) / 2n;
    if (next >= root) return root;
    root = next;
  }
}

/** The square root of a fraction rounded half to even; both parts at least 0 and 1. */
export function rootHalfEven(numerator: bigint, denominator: bigint): bigint {
  const floor = integerSquareRoot(numerator / denominator);
  // Compares with (floor + 1/2)², without a fraction.
  const beyond = 4n * numerator - (2n * floor + 1n) ** 2n * denominator;
  const up = beyond > 0n || (beyond === 0n && floor % 2n !== 0n);
  return up ? floor + 1n : floor;
}

/** An integer of 10^-4 as text with four decimal places, e.g. "0.4834". */
export function fourPlaces(tenThousandths: bigint): string {
  return decimalText(tenThousandths, 4);
}

/** An integer of 10^-`places` as text with as many decimal places, e.g. "-0.0375". */
export function decimalText(value: bigint, places: number): string {
  const digits = (value < 0n ? -value : value).toString().padStart(places + 1, '0');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

/** The integer of 10^-4 that a text with four decimal places says. */
export function tenThousandths(text: string): bigint {
  if (!/^-?\d+\.\d{4}$/.test(text)) throw new RangeError(`${text} has not four decimal places`);
  return BigInt(text.replace('.', ''));
}
