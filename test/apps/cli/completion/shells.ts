/** What a shell offers at the end of a line once it has read the script that `paddock completion` wrote. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type Shell = 'bash' | 'fish' | 'zsh';

export interface Typing {
  readonly script: string;
  /** Where the line is typed; its files may be completed. */
  readonly folder: string;
  readonly lines: readonly string[];
}

/** For each line all that TAB would offer, in no order. */
export const offeredBy: Readonly<Record<Shell, (typing: Typing) => readonly string[][]>> = {
  bash: ({ script, folder, lines }) =>
    lines.map((line) => {
      const words = (line.match(bashWords) ?? []).map((word) => `'${word}'`);
      const code = `${script}
COMP_WORDS=(${words.join(' ')})
COMP_CWORD=${words.length - 1}
_paddock
printf '%s\\n' "\${COMPREPLY[@]}"`;
      return linesOf(run('bash', ['--norc', '-c', code], { folder }));
    }),

  fish: ({ script, folder, lines }) =>
    within((own) => {
      writeFileSync(join(own, 'paddock.fish'), script);
      const code = 'source $argv[1]; for line in $argv[2..]; complete -C $line; echo END; end';
      const args = ['--no-config', '-c', code, join(own, 'paddock.fish'), ...lines];
      const told = run('fish', args, { folder, env: { HOME: own } });
      // Behind a tab stands what it says of each.
      return told
        .split('END\n')
        .map((part) => linesOf(part).map((one) => one.split('\t')[0] ?? ''));
    }).slice(0, lines.length),

  zsh: ({ script, folder, lines }) =>
    within((own) => {
      const files = { SCRIPT: join(own, 'paddock.zsh'), OFFERED: join(own, 'offered') };
      writeFileSync(files.SCRIPT, script);
      writeFileSync(join(own, '.zshrc'), typedInto);
      const env = { HOME: own, ZDOTDIR: own, ...files };
      run('zsh', ['-f', '-c', typist, 'typist', ...lines], { folder, env });
      return readFileSync(files.OFFERED, 'utf8').split('END\n').map(linesOf);
    }).slice(0, lines.length),
};

/** As bash cuts a line: a sign of equality is a word of its own, and behind a blank one begins. */
const bashWords = /=|[^ =]+|(?<= )$/g;

/** Zsh completes only at a terminal: a shell in one of zsh's own making, which notes what it would add. */
const typedInto = `PROMPT=
autoload -Uz compinit && compinit -D -u
source $SCRIPT
setopt no_auto_list no_beep
compadd() {
  if [[ "\${@[1,(i)(-|--)]}" == *-(O|A|D)\\ * ]]; then builtin compadd "$@"; return; fi
  local -a hits
  builtin compadd -A hits "$@"
  # They come as they would stand on the line, with a backslash before a blank.
  print -rl -- "\${(Q@)hits}" >> $OFFERED
}
# Called once each time, so it asks to be called again.
told() { comppostfuncs=(told); print -r -- END >> $OFFERED; print -r -- TOLD }
comppostfuncs=(told)
bindkey '^I' complete-word
bindkey '^U' kill-whole-line
print READY
`;
const typist = `zmodload zsh/zpty
zpty shell zsh -d -i
zpty -r shell seen '*READY*'
for line; do
  zpty -w -n shell $'\\C-u'"$line"$'\\t'
  zpty -r shell seen '*TOLD*'
done
zpty -d shell
`;

function run(
  shell: Shell,
  args: readonly string[],
  at: { readonly folder: string; readonly env?: Readonly<Record<string, string>> },
): string {
  const { PATH = '' } = process.env;
  return execFileSync(shell, args, {
    cwd: at.folder,
    env: { PATH, HOME: at.folder, TERM: 'xterm', LC_ALL: 'C.UTF-8', ...at.env },
    encoding: 'utf8',
    timeout: 60_000,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

function within<T>(make: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'paddock-shell-'));
  try {
    return make(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}

/** Whether the shell is here at all. */
export function isInstalled(shell: Shell): boolean {
  try {
    execFileSync(shell, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
