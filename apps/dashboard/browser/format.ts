import { codeWords } from '../../../machines/reasons/code-words.ts';

/** Texts for people, pure; every instant comes in as the API writes it. */

export function scoreText(score: number | null | undefined): string {
  return score === null || score === undefined ? '–' : score.toFixed(4);
}

export function percentText(share: number, digits = 1): string {
  return `${(share * 100).toFixed(digits)} %`;
}

const unitsOfRace = 1e18;

/** Of what one race pays; the API counts it in integers of 10^-18. */
export function shareOf(units: bigint): number {
  return Number(units) / unitsOfRace;
}

/** A share of what one race pays, as the API spells it. */
export function unitsText(units: string): string {
  return percentText(shareOf(BigInt(units)), 2);
}

export function countText(count: number): string {
  return count.toLocaleString('en-GB');
}

/** The first and last characters: enough to tell two apart, short enough for a table. */
export function shortKey(key: string): string {
  return key.length <= 14 ? key : `${key.slice(0, 6)}…${key.slice(-5)}`;
}

export function shortId(id: string): string {
  return id.slice(0, 8);
}

export function instantText(iso: string): string {
  return new Date(iso).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
}

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/** In numbers: "tomorrow" is a date, which a day and a half from now is not. */
const relative = new Intl.RelativeTimeFormat('en-GB', { numeric: 'always', style: 'long' });

/** "3 minutes ago", "in 2 hours". */
export function relativeText(iso: string, nowMs: number): string {
  const differenceMs = Date.parse(iso) - nowMs;
  const found = units.find(([, size]) => Math.abs(differenceMs) >= size);
  if (found === undefined) return 'now';
  const [unit, ms] = found;
  return relative.format(Math.round(differenceMs / ms), unit);
}

/** "1 d 04:05:06", or "00:00:00" when it is over. */
export function countdownText(untilMs: number, nowMs: number): string {
  const seconds = Math.max(0, Math.ceil((untilMs - nowMs) / 1000));
  const days = Math.floor(seconds / 86_400);
  const clock = [Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60, seconds % 60];
  const text = clock.map((part) => String(part).padStart(2, '0')).join(':');
  return days > 0 ? `${days} d ${text}` : text;
}

/** A code as a sentence or a cell begins with it: "Race running". */
export function wordsOf(code: string): string {
  const words = codeWords(code);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} KiB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
