import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CpuProfile, hottestText, programOf, type Span, stackOf } from './cpu-profile.ts';
import { flamePage } from './flame-graph.ts';

const ending = '.cpuprofile';
const shown = 20;

/**
 * Beside each profile of a folder a flame graph and the hottest functions, of the time in the span; the
 * names of the pages. A profile of less than a hundredth of a second gets none.
 */
export async function writeGraphs(folder: string, span: Span): Promise<readonly string[]> {
  const pages: string[] = [];
  for (const file of (await readdir(folder)).toSorted()) {
    if (!file.endsWith(ending)) continue;
    const profile: CpuProfile = JSON.parse(await readFile(join(folder, file), 'utf8'));
    const root = stackOf(profile, span);
    if (root.totalUs < 10_000) continue;
    // V8 names a file by date, time, process, thread and a number.
    const [, process = '', thread = ''] = /\.(\d+)\.(\d+)\.\d+\.cpuprofile$/.exec(file) ?? [];
    const name = `${programOf(profile)}-${process}${thread === '0' ? '' : `-thread-${thread}`}`;
    const table = hottestText(root, shown);
    await writeFile(join(folder, `${name}.html`), flamePage(name, root, table));
    await writeFile(join(folder, `${name}.txt`), table);
    pages.push(`${name}.html`);
  }
  return pages;
}
