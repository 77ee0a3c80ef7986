import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The command that accepts what was lost, as it can be typed while the neighbours run. Their addresses and
 * keys are in a file that only its owner may read, for a terminal keeps what it shows.
 */
export async function historyCommand(
  dataDir: string,
  variables: Readonly<Record<string, string>>,
): Promise<string> {
  const path = join(dataDir, 'history.env');
  const needed = Object.entries(variables).filter(([name]) =>
    /^(DATABASE_URL|S3_|HISTORY_)/.test(name),
  );
  const lines = needed.map(([name, value]) => `${name}=${quoted(value)}\n`);
  await writeFile(path, lines.join(''), { mode: 0o600 });
  const accept = 'npm run history -- accept --operator NAME --reason TEXT';
  return `(set -a; . ${quoted(path)}; ${accept})`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
