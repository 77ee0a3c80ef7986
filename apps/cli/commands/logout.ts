import { isRefusal } from '../client/paddock.generated.ts';
import type { Command } from '../command.ts';
import { exitCodes } from '../exit-code.ts';
import { Failed, failureOf } from '../failure.ts';
import { NotSignedIn } from '../session/proofs.ts';

export const logout: Command = {
  name: 'logout',
  says: 'End the session, here and at the service',
  examples: [['paddock logout', 'forgets session and kept key']],
  async run(_asked, { client, sessions, baseUrl, isJson, out }) {
    const session = await sessions.of(baseUrl);
    // Whatever the service says of it, nothing stays behind here.
    const ending = session === undefined ? undefined : client.postAuthLogout();
    const ended = await ending?.then(
      () => undefined,
      (error: unknown) => error,
    );
    await sessions.forget(baseUrl);
    const isOver = isRefusal(ended, 'INVALID_SESSION') || ended instanceof NotSignedIn;
    if (ended !== undefined && !isOver) throw goesOn(ended, baseUrl);
    const was = session !== undefined;
    if (isJson) out.line(JSON.stringify({ base_url: baseUrl, was_signed_in: was }));
    else out.line(was ? `Signed out at ${baseUrl}.` : `You were not signed in at ${baseUrl}.`);
    return exitCodes.done;
  },
};

/** Nobody here can end it any more, and a repeat would find no session. */
function goesOn(error: unknown, baseUrl: string): Failed {
  const { exitCode, message, advice } = failureOf(error);
  const here = `This machine has forgotten the session; ${baseUrl} may not have, and ends it by itself within hours.`;
  return new Failed(message, exitCode, [advice, here].filter(Boolean).join('\n'));
}
