import { systemClock } from '../../infra/clock/system-clock.ts';
import { ConfigInvalid } from '../../infra/config/config.ts';
import { FolderTaken, FolderUnfit } from '../../infra/local/folder-lock.ts';
import { outliveReader } from '../cli/show/closed-pipe.ts';
import { endWithParent } from '../until-stopped.ts';
import { NoSandbox } from '../validator/sandbox/find-sandbox.ts';
import { SettingsInvalid } from '../validator/validator-settings.ts';
import { readOptions, UsageError, usage } from './options.ts';
import { Unanswered } from './participants/retry.ts';
import { terminal } from './terminal.ts';
import { NotReady } from './until-healthy.ts';
import { runWorld } from './world.ts';

/** Ctrl-C reaches us from the terminal and once more from whoever started us: one stop is enough. */
function untilStopped(): AbortSignal {
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => stopping.abort(new Error(`stopped by ${signal}`)));
  }
  return stopping.signal;
}

async function run(): Promise<number> {
  endWithParent(process);
  const options = readOptions(process.argv.slice(2), process.env);
  if (options === undefined) {
    console.log(usage());
    return 0;
  }
  // Standard output is the program's that reads the ready line; people read the other one then.
  const stream = options.json ? process.stderr : process.stdout;
  const isStyled = stream.isTTY === true && (process.env['NO_COLOR'] ?? '') === '';
  return await runWorld({
    options,
    env: process.env,
    terminal: terminal({ stream, isStyled }),
    writeReadyLine: (line) => void process.stdout.write(`${line}\n`),
    signal: untilStopped(),
    clock: systemClock,
  });
}

function tell(error: unknown): number {
  const isRefusal =
    error instanceof UsageError ||
    error instanceof ConfigInvalid ||
    error instanceof FolderTaken ||
    error instanceof FolderUnfit ||
    error instanceof NoSandbox ||
    error instanceof SettingsInvalid;
  if (isRefusal) {
    console.error(`paddock: ${error.message}`);
    return 2;
  }
  if (error instanceof Unanswered) {
    console.error(`paddock: the service did not answer for a minute (${error.message})`);
    return 1;
  }
  if (error instanceof NotReady) {
    console.error(`paddock: ${error.message}`);
    return 1;
  }
  console.error(error);
  return 1;
}

outliveReader(process.stdout);
outliveReader(process.stderr);
// Sockets that a lost neighbour left half open must not keep a finished world alive.
process.exit(await run().catch(tell));
