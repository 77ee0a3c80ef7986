import { execFileSync } from 'node:child_process';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** What a long run was of and on, for whoever reads its figures later. */
export function runFacts(): string {
  const processors = cpus();
  const load = loadavg().map((each) => each.toFixed(1));
  return (
    `commit ${commit()}, ${new Date().toISOString().slice(0, 16)}Z, Node ${process.version}, ` +
    `${processors.length} x ${processors[0]?.model ?? 'unknown'}, load average ${load.join(' ')}`
  );
}

/** Where the sources are no clone, nothing says which they are. */
function commit(): string {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    const changed = git('status', '--porcelain').trim() === '' ? '' : ' with changes';
    return `${git('rev-parse', '--short=12', 'HEAD').trim()}${changed}`;
  } catch {
    return 'unknown';
  }
}
