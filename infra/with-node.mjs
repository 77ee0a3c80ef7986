// Runs `node SCRIPT ARGS…` on Node 26: the current one if new enough, else the platform package's.
// Plain JavaScript without dependencies, because it must start on any Node from 20.17.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { node, nodeEnvironment, platform } from './bundled-node.mjs';

if (!existsSync(node)) {
  console.error(
    `Paddock runs on Node 26 and brings none for ${platform} (or it is not installed): run "node infra/bootstrap.mjs", or install Node 26 or newer.`,
  );
  process.exit(1);
}

const child = spawn(node, process.argv.slice(2), {
  // By the channel it learns of our end, also of one that we cannot pass on.
  stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  env: nodeEnvironment(),
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => {
  if (signal === null) process.exit(code ?? 1);
  // Dying of the same signal tells our own parent the truth; our handler must not catch it.
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
