import { readFileSync } from 'node:fs';

/** One fault in RUNBOOK.md. */
export interface Section {
  readonly title: string;
  readonly text: string;
  /** The drills that its last line names. */
  readonly drills: readonly string[];
}

export function readRunbook(): string {
  return readFileSync(new URL('../../../RUNBOOK.md', import.meta.url), 'utf8');
}

export function sectionsOf(page: string): readonly Section[] {
  return page
    .split(/^(?=### )/m)
    .filter((text) => text.startsWith('### '))
    .map((text) => {
      const [heading = ''] = text.split('\n', 1);
      // A chapter's heading ends the section before it.
      const [body = ''] = text.split(/^## /m);
      const drills = [...body.matchAll(/--only ([a-z-]+)/g)].map(([, name = '']) => name);
      return { title: heading.slice('### '.length), text: body, drills };
    });
}

/** What a heading such as "An edge is dead or frozen" names, one by one and in its words. */
export function faultsOf({ title }: Pick<Section, 'title'>): readonly string[] {
  return title.split(/,? or /);
}

/** A fault of a section that no drill makes, and why. */
interface LeftOut {
  readonly title: string;
  readonly fault: string;
  readonly reason: string;
}

/** Of the rows of the page's last table, those that begin with a section's heading. */
export function leftOutBy(page: string): readonly LeftOut[] {
  const rows = /^\| ([^|:]+): \*\*([^*|]+)\*\*[^|]*\|([^|]*)\|$/gm;
  return [...page.matchAll(rows)].map(([, title = '', fault = '', reason = '']) => {
    return { title, fault, reason: reason.trim() };
  });
}

/** The page wraps its lines, and a name may stand across two of them. */
export function names(section: Section, name: string): boolean {
  return section.text.replaceAll(/\s+/g, ' ').includes(name);
}
