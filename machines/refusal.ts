import { Fault, type FaultCode } from './fault.ts';
import { faultTexts } from './fault-texts.ts';

/** What the place that refuses knows better than the words of the code. */
export interface Said {
  /** What is wrong here, with the caller's own values; cut where it is endless. */
  readonly says?: string;
  /** What to do next here, where it is not what the code says. */
  readonly next?: string;
  /** Further fields of the answer's body, in wire spelling. */
  readonly extras?: Readonly<Record<string, unknown>>;
}

/** More than any sentence of ours needs, even one that names ten libraries and what to use instead. */
const saysCharactersMax = 2500;

/**
 * A refusal in two sentences or so: what is wrong, and what to do next. Every refusal is made here, so
 * none leaves its caller without the second.
 */
export function refusal(code: FaultCode, { says, next, extras }: Said = {}): Fault {
  const known = faultTexts[code];
  const first = says === undefined ? known.says : clipped(says, saysCharactersMax);
  const stop = /[.!?…]$/.test(first) ? '' : '.';
  return new Fault(code, `${first}${stop} ${next ?? known.next}`, extras);
}

/** What the code alone says, for whoever answers it in another form. */
export function detailOf(code: FaultCode): string {
  const { says, next } = faultTexts[code];
  return `${says} ${next}`;
}

/**
 * So much of a caller's text as an answer shows: enough to know it again, and of a secret in the wrong
 * place less than anybody could use.
 */
export function glimpse(text: string): string {
  return text.length > wholeCharactersMax
    ? `${text.slice(0, glimpseCharacters).toWellFormed()}…`
    : text;
}

const wholeCharactersMax = 15;
const glimpseCharacters = 12;

function clipped(text: string, charactersMax: number): string {
  return text.length > charactersMax ? `${text.slice(0, charactersMax - 1).toWellFormed()}…` : text;
}
