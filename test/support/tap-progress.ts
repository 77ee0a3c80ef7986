import { styleText } from 'node:util';

export interface Counts {
  passed: number;
  failed: number;
}

/** Reads TAP line by line and says what a person wants to see of it. */
export function tapProgress(say: (line: string) => void) {
  const counts: Counts = { passed: 0, failed: 0 };
  const failures: string[][] = [];
  // The lines under a failed test are its details, until the next test begins.
  let details: string[] | undefined;

  function read(line: string): void {
    const test = /^(not ok|ok) \d+ - (.*)$/.exec(line);
    if (test === null) readOther(line);
    else readTest(test[1] === 'ok', test[2] ?? '');
  }

  function readTest(passed: boolean, title: string): void {
    const headline = passed
      ? `${styleText('green', '✔')} ${title}`
      : `${styleText('red', '✘')} ${title}`;
    counts[passed ? 'passed' : 'failed'] += 1;
    details = passed ? undefined : [headline];
    if (details !== undefined) failures.push(details);
    say(headline);
  }

  function readOther(line: string): void {
    const isFraming = /^(TAP version|1\.\.|# (tests|pass|fail|skip|todo)\b|$)/.test(line);
    const isFence = /^ {2}(---|\.\.\.)$/.test(line);
    if (isFraming || isFence) return;
    if (details !== undefined) details.push(line);
    say(line);
  }

  /** Every failure once more with its details: nobody scrolls up through a thousand lines. */
  function repeatFailures(): void {
    if (failures.length > 0) say(`\n${failures.length} failed:\n`);
    for (const lines of failures) say(`${lines.join('\n')}\n`);
  }

  return { read, repeatFailures, counts: counts as Readonly<Counts> };
}
