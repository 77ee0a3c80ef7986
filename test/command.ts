/**
 * `node test/command.ts NAME ARGS…`: one of the commands of package.json. Its line is read before
 * anything of it is loaded, so that a slip costs no wait and starts no servers.
 */
import { lineOf } from './commands/command-line.ts';
import { everyCommand } from './commands/every-command.ts';

const [node = '', self = '', name = '', ...args] = process.argv;
const found = everyCommand.find(({ command }) => command.script === name);
if (found === undefined) {
  const scripts = everyCommand.map(({ command }) => command.script);
  console.error(`There is no command "${name}", but ${scripts.join(', ')}.`);
  process.exitCode = 2;
} else {
  // What does the work reads its line as if nobody stood before it.
  process.argv = [node, self, ...args];
  lineOf(found.command);
  await found.start();
}
