#!/usr/bin/env node
// The `paddock` command: apps/cli/main.ts on the project's own Node, whatever Node was called. Plain
// JavaScript without dependencies, because it must start on any Node from 20.17.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
if (!existsSync(resolve(root, 'node_modules'))) {
  console.error(
    `paddock: its packages are not installed: run "node infra/bootstrap.mjs" in ${root}`,
  );
  process.exit(1);
}
// Half of a short command's time is compiling what was compiled the last time.
process.env.NODE_COMPILE_CACHE ??= resolve(root, 'node_modules/.cache/compiled');
process.argv.splice(2, 0, resolve(root, 'apps/cli/main.ts'));
await import('./with-node.mjs');
