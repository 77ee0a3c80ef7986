import { randomHex } from '../ids/ids.ts';

const traceIdDigits = 32;
const spanIdDigits = 16;
/** A look at the system's random source costs the same for one request and for so many. */
const requestsPerDraw = 128;
let drawn = '';
let used = 0;

/** A trace id and a span id, or a span id alone. */
export function freshTraceId(): string {
  return draw(traceIdDigits);
}

export function freshSpanId(): string {
  return draw(spanIdDigits);
}

function draw(digits: number): string {
  if (used + digits > drawn.length) {
    drawn = randomHex(((traceIdDigits + spanIdDigits) / 2) * requestsPerDraw);
    used = 0;
  }
  used += digits;
  return drawn.slice(used - digits, used);
}
