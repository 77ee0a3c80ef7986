import { faultTexts } from '../../machines/fault-texts.ts';
import { adviceByCode } from './advice.ts';

/** A refusal on the line: what is wrong, and what to do about it. */
export interface Told {
  readonly message: string;
  readonly advice?: string | undefined;
}

/**
 * The service says in one text what is wrong and then what to do, as whoever writes a client does it.
 * On the line that is a command, or a wait of so many seconds, and one of the two is enough. What the
 * service says of this case alone stands, unless it is a route; what it says of the code always does not.
 */
export function toldOnce(code: string, detail: string, pause: string | undefined): Told {
  const command = ownOf(adviceByCode, code);
  const general = ownOf(faultTexts, code)?.next;
  const own = command ?? pause;
  const routeNamed = / [^.!?…]+ \/v1\/[^.!?…]+\.$/.exec(detail)?.[0];
  const theirs =
    general !== undefined && detail.endsWith(` ${general}`) ? ` ${general}` : routeNamed;
  if (own === undefined) return { message: detail };
  if (theirs !== undefined) return { message: detail.slice(0, -theirs.length), advice: own };
  return hasTwoSentences(detail)
    ? { message: detail, advice: pause }
    : { message: detail, advice: own };
}

function hasTwoSentences(detail: string): boolean {
  return /[.!?…] [A-Z].*[.!?…]$/.test(detail);
}

function ownOf<Value>(table: Readonly<Record<string, Value>>, code: string): Value | undefined {
  return Object.hasOwn(table, code) ? table[code] : undefined;
}
