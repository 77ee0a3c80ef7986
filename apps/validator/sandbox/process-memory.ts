import { readdirSync, readFileSync } from 'node:fs';

const pageBytes = 4096;

/**
 * Resident memory of a process and all that come from it. A look at the moment: what a process shares
 * with another counts twice, which errs on the safe side.
 */
export function residentBytes(pid: number): number {
  let bytes = 0;
  const waiting = [pid];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    bytes += pageBytes * Number(readOr(`/proc/${next}/statm`).split(' ')[1] ?? 0);
    // Every thread has children of its own.
    for (const thread of threadsOf(next)) {
      waiting.push(...numbers(readOr(`/proc/${next}/task/${thread}/children`)));
    }
  }
  return bytes;
}

function numbers(text: string): readonly number[] {
  return text
    .split(' ')
    .filter((word) => word.trim() !== '')
    .map(Number);
}

function threadsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** Empty when the process ended meanwhile. */
function readOr(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
