import { rowsOf } from './rows.ts';

/** What a test holds beside what it asks for by id; throws for a row that is not there any more. */
export function covers(...patterns: readonly string[]): void {
  rowsOf(...patterns);
}
