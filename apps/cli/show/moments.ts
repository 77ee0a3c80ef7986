const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** `3 h 12 min`: two units at most, for people. */
export function durationText(ms: number): string {
  const whole = Math.max(0, Math.round(ms / second) * second);
  const parts: readonly (readonly [size: number, name: string])[] = [
    [day, 'd'],
    [hour, 'h'],
    [minute, 'min'],
    [second, 's'],
  ];
  const first = parts.findIndex(([size]) => whole >= size);
  if (first === -1) return '0 s';
  // Seconds beside hours, or minutes beside days, would be noise.
  const [[size, name] = [second, 's'], next] = parts.slice(first);
  const count = Math.floor(whole / size);
  const rest = next === undefined ? 0 : Math.floor((whole - count * size) / next[0]);
  return rest === 0 || next === undefined
    ? `${count} ${name}`
    : `${count} ${name} ${rest} ${next[1]}`;
}

/** In the time zone of the one who looks: `2026-11-23 14:02:11`. */
export function localTime(instant: string): string {
  const at = new Date(instant);
  const two = (value: number) => String(value).padStart(2, '0');
  const date = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-');
  return `${date} ${[at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':')}`;
}

/** `in 12 min` or `12 min ago`. */
export function fromNow(instant: string, nowMs: number): string {
  const ms = Date.parse(instant) - nowMs;
  if (Math.abs(ms) < second) return 'now';
  return ms > 0 ? `in ${durationText(ms)}` : `${durationText(-ms)} ago`;
}

/** Both, for a line of its own. */
export function whenText(instant: string, nowMs: number): string {
  return `${localTime(instant)} (${fromNow(instant, nowMs)})`;
}
