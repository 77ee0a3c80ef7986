import { commands } from '../../apps/cli/commands.ts';
import type { Environment } from '../../apps/cli/desk.ts';
import { asking } from '../../apps/cli/keys/ask.ts';
import { openDesk } from '../../apps/cli/open-desk.ts';
import { runLine } from '../../apps/cli/run-line.ts';
import type { Variables } from '../../apps/cli/session/settings.ts';
import { screen } from '../../apps/cli/show/screen.ts';

export interface LineUser {
  /** With PADDOCK_CONFIG_DIR, or the sessions of whoever runs the tests are used. */
  readonly variables: Variables & { readonly PADDOCK_CONFIG_DIR: string };
  readonly environment?: Partial<Environment>;
  /** A person looks. */
  readonly isLive?: boolean;
}

/** Lines of `paddock` in this process: the command, its client and the service are what they are. */
export function paddockLines({ variables, environment, isLive = false }: LineUser) {
  return async (...args: readonly string[]) => {
    const written = { out: '', error: '' };
    const on = (name: keyof typeof written) =>
      screen({
        stream: {
          write: (text: string) => {
            written[name] += text;
          },
        },
        ...{ isLive, isStyled: false, columns: () => 200, rows: () => 50 },
      });
    const [out, err] = [on('out'), on('error')];
    const code = await runLine(args, {
      ...{ commands, out, err, version: '0' },
      desk: (asked) =>
        openDesk(asked, {
          ...{ variables, out, err },
          environment: {
            ...{
              home: variables.PADDOCK_CONFIG_DIR,
              keyPassword: undefined,
              credential: undefined,
            },
            ...environment,
          },
          asking: asking({ keyboard: process.stdin, screen: process.stderr }),
          stopping: new AbortController().signal,
        }),
    });
    return { code, ...written };
  };
}
