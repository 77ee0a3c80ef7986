/** A timer of the runtime takes 31 bits, 24 days; what is longer it takes for one millisecond. */
const longestMs = 2 ** 31 - 1;

/** What a timer can be told: settings allow years, and who waits for so long may as well look again. */
export function timerMs(ms: number): number {
  return Math.min(ms, longestMs);
}
