/** The `paddock` command, for miners, onlookers and operators. */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { unlessEndedWithin } from '../../infra/clock/backstop.ts';
import { commands } from './commands.ts';
import { exitCodes } from './exit-code.ts';
import { asking } from './keys/ask.ts';
import { openDesk } from './open-desk.ts';
import { runLine } from './run-line.ts';
import { outliveReader } from './show/closed-pipe.ts';
import { screen } from './show/screen.ts';

const { env, stdin, stdout, stderr } = process;

function screenOn(stream: NodeJS.WriteStream) {
  const isTerminal = stream.isTTY === true;
  const isLive = isTerminal && env['TERM'] !== 'dumb';
  return screen({
    ...{ stream, isLive, columns: () => stream.columns || 80, rows: () => stream.rows || 24 },
    isStyled: isLive && (env['NO_COLOR'] ?? '') === '',
  });
}

/** Whoever follows something tells that it ended; what takes longer is cut off. */
const endingMs = 300;
const stopping = new AbortController();
let isEnough = false;
outliveReader(stderr);
outliveReader(stdout, () => {
  isEnough ||= !stopping.signal.aborted;
  stopping.abort();
});
process.on('SIGINT', () => {
  stopping.abort();
  unlessEndedWithin(endingMs, () => process.exit(exitCodes.interrupted));
});

const { version } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string };
const [out, err] = [screenOn(stdout), screenOn(stderr)];
const code = await runLine(process.argv.slice(2), {
  ...{ commands, out, err, version },
  desk: (asked) =>
    openDesk(asked, {
      variables: env,
      environment: {
        home: homedir(),
        keyPassword: env['PADDOCK_KEY_PASSWORD'] || undefined,
        credential: env['PADDOCK_CREDENTIAL'] || undefined,
      },
      ...{ out, err },
      asking: asking({ keyboard: stdin, screen: stderr }),
      stopping: stopping.signal,
    }),
});
// What goes on for ever ends with its reader, who had enough of it.
process.exitCode = isEnough && code === exitCodes.interrupted ? exitCodes.done : code;
