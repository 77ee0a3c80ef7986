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

/** An integer of 10^-4 as text with four decimal places, e.g. "0.4834". */
export function fourPlaces(tenThousandths: bigint): string {
  const digits = tenThousandths.toString().padStart(5, '0');
  return `${digits.slice(0, -4)}.${digits.slice(-4)}`;
}
