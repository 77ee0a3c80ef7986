import { type Terminal, table } from '../world/terminal.ts';
import { type Command, commonOptions, type Option, type Place } from './command.ts';

const exitLines = [
  '0    done',
  '1    the answer is no: refused, findings in a file, a race that differs',
  '2    the command line is wrong',
  '3    not signed in, or not with what the command needs',
  '4    what was asked for is not there',
  '5    not now: no answer, too busy, or a wait that the service asks for',
  '130  ended by Ctrl-C',
];

/** What `paddock --help` shows. */
export function overviewLines(commands: readonly Command[], terminal: Terminal): string[] {
  const plain = commands.filter(({ name }) => !name.includes(' '));
  return [
    'The command line of Paddock, the race between AI shopping agents.',
    '',
    'Usage: paddock COMMAND [ARGUMENTS] [OPTIONS]',
    '',
    ...section(terminal, 'Commands', [
      ...plain.map(({ name, says }) => [name, says] as const),
      ['operator', 'what operators order and look at; paddock operator lists all of it'],
    ]),
    '',
    ...optionSection(terminal, 'Options of every command', commonOptions),
    '',
    terminal.style('bold', 'Begin with'),
    ...indented([
      'paddock login --url BASE --wallet default --hotkey default',
      'paddock check agent.py',
      'paddock submit agent.py --name my-agent --watch',
    ]),
    '',
    terminal.style('bold', 'Exit codes'),
    ...indented(exitLines),
  ];
}

/** What `paddock operator` or `paddock credentials --help` shows of the commands below it. */
export function groupLines(group: string, commands: readonly Command[], terminal: Terminal) {
  const below = commands.filter(({ name }) => name.startsWith(`${group} `));
  return [
    `Usage: paddock ${group} COMMAND [ARGUMENTS] [OPTIONS]`,
    '',
    ...section(
      terminal,
      'Commands',
      below.map(({ name, says }) => [name, firstClause(says)] as const),
    ),
    '',
    `paddock ${group} COMMAND --help tells what each takes.`,
  ];
}

export function commandLines(
  command: Command,
  commands: readonly Command[],
  terminal: Terminal,
): string[] {
  const { name, says, places = [], options = {}, more, examples } = command;
  const below = commands.filter((other) => other.name.startsWith(`${name} `));
  return [
    `${says}.`,
    '',
    `Usage: paddock ${usage(command)}`,
    ...(below.length === 0
      ? []
      : [
          '',
          ...section(
            terminal,
            'Commands',
            below.map((each) => [each.name, each.says] as const),
          ),
        ]),
    ...(places.length === 0
      ? []
      : [
          '',
          ...section(
            terminal,
            'Arguments',
            places.map((place) => [place.name, placeSays(place)]),
          ),
        ]),
    ...(Object.keys(options).length === 0
      ? []
      : ['', ...optionSection(terminal, 'Options', options)]),
    '',
    ...optionSection(terminal, 'Options of every command', commonOptions),
    ...(more === undefined ? [] : ['', ...more.split('\n')]),
    '',
    terminal.style('bold', 'Examples'),
    ...indented(examples.flatMap(([line, meaning]) => [`# ${meaning}`, line])),
  ];
}

/** `submit FILE [OPTIONS]` */
export function usage({ name, places = [], options = {} }: Command): string {
  const spelt = places.map((place) => (place.isOptional ? `[${place.name}]` : place.name));
  const needed = Object.entries(options).flatMap(([option, { isRequired, value }]) =>
    isRequired === true ? [`--${option} ${value}`] : [],
  );
  return [name, ...spelt, ...needed, '[OPTIONS]'].join(' ');
}

function placeSays({ says, among }: Place): string {
  return among === undefined ? says : `${says}: ${among.join(', ')}`;
}

/** What operators' commands say has more to it than fits a list. */
function firstClause(says: string): string {
  return says.split(';')[0] ?? says;
}

function optionSection(
  terminal: Terminal,
  title: string,
  options: Readonly<Record<string, Option>>,
): string[] {
  const rows = Object.entries(options).map(([name, { value, short, says, among }]) => {
    const spelt = `--${name}${value === undefined ? '' : ` ${value}`}`;
    const values = among === undefined ? '' : `: ${among.join(', ')}`;
    return [short === undefined ? spelt : `-${short}, ${spelt}`, `${says}${values}`] as const;
  });
  return section(terminal, title, rows);
}

function section(
  terminal: Terminal,
  title: string,
  rows: readonly (readonly [string, string])[],
): string[] {
  return [terminal.style('bold', title), ...indented(table(rows))];
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}
