import { exitCodes } from './exit-code.ts';
import { Failed } from './failure.ts';
import { isId } from './ids.ts';

/** The id of a race as it was given. A number is none: every suite counts its races anew. */
export function raceOf(given: string): string {
  if (isId(given)) return given.toLowerCase();
  throw new Failed(
    `"${given}" is no id of a race`,
    exitCodes.notFound,
    'See the ids of past races beside their numbers with: paddock races',
  );
}
