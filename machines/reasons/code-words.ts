/** `RACE_RUNNING` and `run_claimed` as words: "race running". */
export function codeWords(code: string): string {
  return code.toLowerCase().replaceAll(/[_-]+/g, ' ');
}
