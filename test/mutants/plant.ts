import type { Edit } from './mutant.ts';

/** The text with the defect in it; throws unless the snippet is there exactly once. */
export function planted(text: string, edit: Extract<Edit, { replacement: string }>): string {
  const [before, after, ...others] = text.split(edit.snippet);
  if (before === undefined || after === undefined || others.length > 0) {
    throw new Error(
      `${edit.file} has ${others.length > 0 ? 'several' : 'none'} of ${edit.snippet}`,
    );
  }
  return before + edit.replacement + after;
}
