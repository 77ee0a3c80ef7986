import type { KindFinding, Trouble } from './find-kind.ts';

const examplesMax = 5;

/** `code        1,234 of 1,234 there     35 ms  the files of agent versions`. */
export function lineOf({ kind, named, there, missing, ms }: KindFinding): string {
  const count = `${numeral(there)} of ${numeral(named)} there`;
  const isUsual = kind.unlessThere !== undefined && missing.count > 0;
  const note = isUsual ? ` (${numeral(missing.count)} not: ${kind.unlessThere})` : '';
  return `${kind.id.padEnd(12)}  ${count.padEnd(26)}  ${`${ms} ms`.padStart(9)}  ${kind.subject}${note}`;
}

/** What is to be mended of it, the files of each trouble below its heading. */
export function troublesOf({ kind, missing, wrong, unread }: KindFinding): readonly string[] {
  const mustBeThere = kind.unlessThere === undefined;
  const first = mustBeThere && kind.isReplaced !== true ? 'delete each first, then ' : '';
  return [
    ...(mustBeThere ? told(`missing ${numeral(missing.count)}: ${kind.remedy}`, missing) : []),
    ...told(`wrong ${numeral(wrong.count)}: ${first}${kind.remedy}`, wrong),
    ...told(`not readable ${numeral(unread.count)}: the store does not say what they are`, unread),
  ];
}

function told(
  heading: string,
  { count, files }: { readonly count: number; readonly files: readonly Trouble[] },
): readonly string[] {
  if (count === 0) return [];
  return [`  ${heading}`, ...files.slice(0, examplesMax).map((file) => `    ${exampleOf(file)}`)];
}

function exampleOf({ key, belongsTo, hurts, why }: Trouble): string {
  return `${key}${why === undefined ? '' : ` ${why}`} (${belongsTo}: ${hurts})`;
}

/** For programs: every file that is not as its row says. */
export function documentOf(findings: readonly KindFinding[], ms: number): object {
  return {
    ms: Math.round(ms),
    verdict: verdictOf(findings),
    kinds: findings.map(({ kind, named, there, missing, wrong, unread, ms: took }) => ({
      ...{ kind: kind.id, subject: kind.subject, must_be_there: kind.unlessThere === undefined },
      ...{ named, there, missing: missing.count, wrong: wrong.count, unread: unread.count },
      ms: took,
      missing_files: missing.files.map(wireOf),
      wrong_files: wrong.files.map(wireOf),
      unread_files: unread.files.map(wireOf),
    })),
  };
}

function wireOf({ key, belongsTo, hurts, why }: Trouble) {
  return { key, belongs_to: belongsTo, hurts, ...(why !== undefined && { why }) };
}

/** What is known to be lost outweighs what is not known. */
export function verdictOf(findings: readonly KindFinding[]): 'lost' | 'sound' | 'unfinished' {
  const mustBeThere = findings.some(
    ({ kind, missing, wrong }) =>
      wrong.count > 0 || (missing.count > 0 && kind.unlessThere === undefined),
  );
  if (mustBeThere) return 'lost';
  return findings.some(({ unread }) => unread.count > 0) ? 'unfinished' : 'sound';
}

export function summaryOf(findings: readonly KindFinding[], ms: number): string {
  const sum = (count: (finding: KindFinding) => number) =>
    numeral(findings.reduce((total, finding) => total + count(finding), 0));
  const lost = ({ kind, missing }: KindFinding) =>
    kind.unlessThere === undefined ? missing.count : 0;
  return (
    `${sum(({ named }) => named)} files in ${(ms / 1000).toFixed(1)} s: ${sum(lost)} missing, ` +
    `${sum(({ wrong }) => wrong.count)} wrong, ${sum(({ unread }) => unread.count)} not readable.`
  );
}

function numeral(count: number): string {
  return count.toLocaleString('en');
}
