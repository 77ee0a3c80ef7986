import { type Asked, askedOf } from './asked.ts';
import type { Command } from './command.ts';
import type { Desk } from './desk.ts';
import { type ExitCode, exitCodes } from './exit-code.ts';
import { type Failure, failureOf } from './failure.ts';
import { commandLines, groupLines, overviewLines, usage } from './help.ts';
import type { Screen } from './show/screen.ts';
import { nearest, UsageError } from './usage-error.ts';

/** What every line needs, also one that is wrong. */
export interface LineOptions {
  readonly commands: readonly Command[];
  readonly out: Screen;
  readonly err: Screen;
  readonly version: string;
  /** Opens what the command works with; it may fail, as for a damaged file of settings. */
  readonly desk: (asked: Asked) => Promise<Desk>;
}

/** One whole line: finds its command, runs it, and tells what went wrong. */
export async function runLine(args: readonly string[], options: LineOptions): Promise<ExitCode> {
  const isJson = args.includes('--json');
  try {
    return await carriedOut(args, options);
  } catch (error) {
    const failure = failureOf(error);
    options.err.settle();
    if (isJson) options.err.line(JSON.stringify({ error: toldOf(failure) }));
    else tell(failure, options.err);
    return failure.exitCode;
  }
}

async function carriedOut(args: readonly string[], options: LineOptions): Promise<ExitCode> {
  const { commands, out, version } = options;
  const words = leadingWords(args);
  // `help submit` is another spelling of `submit --help`.
  if (words[0] === 'help' && words.length > 1) {
    return await carriedOut([...args.slice(1), '--help'], options);
  }
  const found = commandOf(words, commands);
  if (found !== undefined) return await carryOut(found, args, options);
  const group = groupOf(words, commands);
  if (group !== undefined) {
    const [extra] = words.slice(group.split(' ').length);
    if (extra !== undefined) throw new UsageError(unknown(`${group} ${extra}`, commands));
    groupLines(group, commands, out).forEach((line) => {
      out.line(line);
    });
    return args.includes('--help') || args.includes('-h') ? exitCodes.done : exitCodes.usage;
  }
  const [word] = words;
  if (word !== undefined && word !== 'help') throw new UsageError(unknown(word, commands));
  const [first] = args;
  if (first === '--version') {
    out.line(`paddock ${version}`);
    return exitCodes.done;
  }
  if (first !== undefined && !['--help', '-h', 'help'].includes(first)) {
    throw new UsageError(`name a command before ${first}: paddock --help lists them`);
  }
  overviewLines(commands, out).forEach((line) => {
    out.line(line);
  });
  return first === undefined ? exitCodes.usage : exitCodes.done;
}

async function carryOut(
  command: Command,
  args: readonly string[],
  { commands, out, desk }: LineOptions,
): Promise<ExitCode> {
  let asked: Asked;
  try {
    asked = askedOf(command, args.slice(command.name.split(' ').length));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`${error.message}\nUsage: paddock ${usage(command)}`);
  }
  if (asked.isSet('help')) {
    commandLines(command, commands, out).forEach((line) => {
      out.line(line);
    });
    return exitCodes.done;
  }
  return await command.run(asked, await desk(asked));
}

/** Up to the first option: names of commands stand before all else. */
function leadingWords(args: readonly string[]): readonly string[] {
  const end = args.findIndex((arg) => arg.startsWith('-'));
  return end === -1 ? args : args.slice(0, end);
}

/** The command with the longest name that the words begin with. */
function commandOf(words: readonly string[], commands: readonly Command[]): Command | undefined {
  const [two, one] = [words.slice(0, 2).join(' '), words[0]];
  return commands.find(({ name }) => name === two) ?? commands.find(({ name }) => name === one);
}

function groupOf(words: readonly string[], commands: readonly Command[]): string | undefined {
  const [word] = words;
  return commands.some(({ name }) => name.startsWith(`${word} `)) ? word : undefined;
}

function unknown(name: string, commands: readonly Command[]): string {
  const meant = nearest(
    name,
    commands.map((command) => command.name),
  );
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
  const [group = '', rest] = name.split(' ');
  const list = rest === undefined ? 'paddock --help' : `paddock ${group} --help`;
  return `there is no command ${name}${hint}\n${list} lists them`;
}

function tell({ message, advice, status = 0, requestId }: Failure, err: Screen): void {
  const [first = '', ...rest] = message.split('\n');
  err.line(`${err.style('red', 'paddock:')} ${first}`);
  for (const line of rest) err.line(line);
  if (advice !== undefined) err.line(advice);
  // By it the operators find in the log what they are asked about.
  if (status >= 500 && requestId !== undefined) err.line(`Its X-Request-Id: ${requestId}`);
}

function toldOf({ exitCode, code, message, advice, ...of }: Failure) {
  return {
    ...{ code, message, advice: advice ?? null, exit_code: exitCode },
    ...{ status: of.status ?? null, request_id: of.requestId ?? null },
    retry_after_seconds: of.retryAfterSeconds ?? null,
    idempotency_key: of.idempotencyKey ?? null,
    answer: of.answer ?? null,
  };
}
