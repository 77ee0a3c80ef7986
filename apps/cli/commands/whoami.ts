import { table } from '../../world/terminal.ts';
import type { Command } from '../command.ts';
import { exitCodes } from '../exit-code.ts';
import { instantOf, NotSignedIn } from '../session/proofs.ts';
import { whenText } from '../show/moments.ts';

export const whoami: Command = {
  name: 'whoami',
  says: 'Show who you are signed in as, and where',
  more: 'Looks at the session on this machine and does not ask the service.',
  examples: [['paddock whoami --json', 'for a script']],
  async run(_asked, { sessions, baseUrl, isJson, out, clock }) {
    const session = await sessions.of(baseUrl);
    if (session === undefined) {
      throw new NotSignedIn(
        `you are not signed in at ${baseUrl}`,
        'Sign in with: paddock login --key FILE',
      );
    }
    const { hotkey, role, expires_at: expiresAt, secret_key: secret } = session;
    const isOver = expiresAt * 1000 <= clock.nowMs();
    if (isJson) {
      const key = { key_kept: secret !== undefined };
      out.line(JSON.stringify({ base_url: baseUrl, hotkey, role, expires_at: expiresAt, ...key }));
    } else {
      const rows = [
        ['service', baseUrl],
        ['hotkey', hotkey],
        ['role', role],
        [isOver ? 'ended' : 'ends', whenText(instantOf(expiresAt), clock.nowMs())],
        ['key', secret === undefined ? 'not kept' : `kept in ${sessions.path}`],
      ];
      for (const line of table(rows)) out.line(line);
    }
    return isOver && secret === undefined ? exitCodes.notSignedIn : exitCodes.done;
  },
};
