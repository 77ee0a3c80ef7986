/** So many round values over a range, both ends within. */
export function ticksOf([low, high]: readonly [number, number], count = 4): number[] {
  const raw = (high - low) / count || 1;
  const size = 10 ** Math.floor(Math.log10(raw));
  const step = size * ([1, 2, 5, 10].find((times) => times * size >= raw) ?? 10);
  const first = Math.ceil(low / step) * step;
  const ticks: number[] = [];
  for (let at = first; at <= high + step / 1e6; at += step) ticks.push(Number(at.toPrecision(12)));
  return ticks;
}
