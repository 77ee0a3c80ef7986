import type { Command } from '../command.ts';
import { bashScript, fishScript, zshScript } from '../completion-scripts.ts';
import { exitCodes } from '../exit-code.ts';

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

/** `commands` are asked for when the line is carried out: this command is one of them. */
export function completion(commands: () => readonly Command[]): Command {
  return {
    name: 'completion',
    says: 'Write what makes a shell complete commands and options',
    places: [{ name: 'SHELL', says: 'whose', among: Object.keys(scripts) }],
    more: `A shell completes a command that it knows by name: where paddock is started by npx, make an alias
first, as in: alias paddock="npx --prefix ~/paddock paddock"`,
    examples: [
      ['source <(paddock completion bash)', 'in ~/.bashrc'],
      ['source <(paddock completion zsh)', 'in ~/.zshrc, below compinit'],
      ['paddock completion fish > ~/.config/fish/completions/paddock.fish', 'once'],
    ],
    async run(asked, { out }) {
      const script = scripts[asked.place('SHELL') as keyof typeof scripts];
      out.line(script(commands()).trimEnd());
      return exitCodes.done;
    },
  };
}
