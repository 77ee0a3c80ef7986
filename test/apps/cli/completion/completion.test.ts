import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { commands } from '../../../../apps/cli/commands.ts';
import { bashScript, fishScript, zshScript } from '../../../../apps/cli/completion-scripts.ts';
import { needsShells } from '../../../support/needs-shells.ts';
import { isInstalled, offeredBy, type Shell } from './shells.ts';

const scripts = {
  bash: bashScript(commands),
  fish: fishScript(commands),
  zsh: zshScript(commands),
};

/** The last word is being typed. Options among what else may stand there are left out. */
const expected: Readonly<Record<string, readonly string[]>> = {
  'paddock st': ['status'],
  'paddock credentials r': ['remove', 'rotate'],
  'paddock operator close': ['close-qualifying'],
  'paddock status some-id --w': ['--watch'],
  'paddock operator ban 5F --rea': ['--reason'],
  'paddock top --score ': ['qualifying', 'race'],
  'paddock operator register 5F ': ['miner', 'validator'],
  'paddock completion ': ['bash', 'fish', 'zsh'],
  'paddock submit my': ['my agent.py'],
  'paddock submit agents/': ['one.py'],
  'paddock submit my.py --name ': [],
  'paddock status my': [],
  'paddock download my': [],
  'paddock download --run ': [],
  'paddock download --output my': ['my agent.py'],
  'paddock download -o my': ['my agent.py'],
  'paddock top --score=': ['qualifying', 'race'],
  'paddock top --score=ra': ['race'],
  'paddock top --score=race --lim': ['--limit'],
  'paddock top --json --score=ra': ['race'],
  'paddock top --json=': [],
  'paddock download --output=my': ['my agent.py'],
  'paddock download --output=agents/': ['one.py'],
  'paddock submit my.py --name=': [],
  'paddock submit my.py --name=my': [],
};

/** Two files: one with a blank in its name, one in a folder. */
function folderWithAgents(t: ExecutionContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'paddock-agents-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'my agent.py'), '');
  mkdirSync(join(folder, 'agents'));
  writeFileSync(join(folder, 'agents/one.py'), '');
  return folder;
}

/** Where a shell is missing that must be here the test fails; elsewhere it says what it did not do. */
function isHere(t: ExecutionContext, shell: Shell): boolean {
  if (isInstalled(shell)) return true;
  const message = `${shell} is not installed, so nothing was completed: apt-get install ${shell}`;
  t.log(message);
  t.false(needsShells, message);
  return false;
}

for (const shell of ['bash', 'fish', 'zsh'] as const) {
  test(`${shell} completes commands, what is below them, options, their values and files`, (t) => {
    if (!isHere(t, shell)) return;
    const lines = Object.keys(expected);
    const typing = { script: scripts[shell], folder: folderWithAgents(t), lines };

    const offered = offeredBy[shell](typing).map((words, index) => {
      const isOption = /(^| )-\S*$/.test(lines[index] ?? '');
      return (
        words
          .filter((word) => isOption || !word.startsWith('-'))
          // Some shells tell the whole word, bash what it puts behind the sign.
          .map((word) => basename(word.replace(/^--[\w-]+=/, '')))
      );
    });

    const told = Object.fromEntries(lines.map((line, at) => [line, offered[at]?.toSorted()]));
    t.deepEqual(told, expected as Record<string, string[]>);
  });
}
