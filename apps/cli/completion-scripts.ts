import { type Command, commonOptions, type Option, type Options } from './command.ts';

/** Words that may stand first, and below a group. */
function wordsOf(commands: readonly Command[]): ReadonlyMap<string, readonly string[]> {
  const byGroup = new Map<string, string[]>([['', []]]);
  for (const { name } of commands) {
    const [first = '', second] = name.split(' ');
    const top = byGroup.get('') ?? [];
    if (!top.includes(first)) top.push(first);
    if (second !== undefined) byGroup.set(first, [...(byGroup.get(first) ?? []), second]);
  }
  return byGroup;
}

function optionsOf(command: Command): readonly (readonly [name: string, option: Option])[] {
  return Object.entries({ ...command.options, ...commonOptions });
}

/** Of what may be typed in the places of a command: known words, or files. */
function placeWords({ places = [] }: Command): readonly string[] {
  return places.flatMap(({ among = [] }) => among);
}

function takesFiles({ places = [] }: Command): boolean {
  return places.some(({ isFile }) => isFile === true);
}

/** What may follow each option that takes a value, as branches of a case over command and option. */
function valueCases(options: Options, patternOf: (option: string) => string): string[] {
  return Object.entries(options).flatMap(([name, { among = [], value, short, isFile }]) => {
    if (value === undefined) return [];
    const spelled = [`--${name}`, ...(short === undefined ? [] : [`-${short}`])];
    const patterns = spelled.map(patternOf).join('|');
    return [`    ${patterns}) words='${among.join(' ')}' files=${isFile === true ? 1 : "''"} ;;`];
  });
}

/** For bash: one function that knows every command, so that nothing is started while one types. */
export function bashScript(commands: readonly Command[]): string {
  const groups = [...wordsOf(commands)].map(
    ([group, words]) => `    '${group}') words='${words.join(' ')}' ;;`,
  );
  const cases = commands.map((command) => {
    const options = optionsOf(command).map(([name]) => `--${name}`);
    const files = takesFiles(command) ? ' files=1' : '';
    const below = wordsOf(commands).get(command.name) ?? [];
    const words = [...below, ...placeWords(command), ...options];
    return `    '${command.name}') words='${words.join(' ')}'${files} ;;`;
  });
  const values = [
    ...valueCases(commonOptions, (option) => `*' ${option}'`),
    ...commands.flatMap(({ name, options = {} }) =>
      valueCases(options, (option) => `'${name} ${option}'`),
    ),
  ];
  return `# Completion of paddock for bash: source <(paddock completion bash)
_paddock() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}"
  local name='' word words='' files='' option='' prefix='' index
  # Behind --option= a value is typed. Bash makes a word of the sign; to zsh all of it is one.
  case "$current" in
    =) option="$before" current='' ;;
    --*=*) option="\${current%%=*}" prefix="\${current%%=*}=" current="\${current#*=}" ;;
    *) [ "$before" != '=' ] || option="\${COMP_WORDS[COMP_CWORD-2]}" ;;
  esac
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    case "$word" in -*) break ;; esac
    case "\${name:+$name }$word" in
${[...new Set(commands.flatMap(({ name }) => [name, name.split(' ')[0] ?? '']))]
  .map((name) => `      '${name}') name='${name}' ;;`)
  .join('\n')}
    esac
  done
  case "$name" in
${groups.join('\n')}
  esac
  case "$name" in
${cases.join('\n')}
  esac
  # Nothing else of the command may stand there.
  case "$option" in -*) before="$option" words='' files='' ;; esac
  case "$name $before" in
${values.join('\n')}
  esac
  COMPREPLY=()
  # No word has a slash, and behind one zsh would offer them all.
  case "$current" in */*) ;; *) COMPREPLY=($(compgen -P "$prefix" -W "$words" -- "$current")) ;; esac
  # A line is a file, whatever blanks its name has.
  local IFS=$'\\n'
  if [ -n "$files" ] && [ "\${current#-}" = "$current" ]; then
    # In zsh compgen looks for files by the whole word, whatever it is given.
    if [ -z "$prefix" ]; then COMPREPLY+=($(compgen -f -- "$current"))
    else for word in "$current"*; do [ ! -e "$word" ] || COMPREPLY+=("$prefix$word"); done; fi
  fi
}
complete -o filenames -F _paddock paddock
`;
}

/** Zsh runs the function of bash. */
export function zshScript(commands: readonly Command[]): string {
  return `# Completion of paddock for zsh: source <(paddock completion zsh)
autoload -U +X bashcompinit && bashcompinit
${bashScript(commands).split('\n').slice(1).join('\n')}`;
}

/** Fish takes a line for each word and option, with what it says. */
export function fishScript(commands: readonly Command[]): string {
  const groups = wordsOf(commands);
  const top = commands.filter(({ name }) => !name.includes(' '));
  const lines = [
    '# Completion of paddock for fish: paddock completion fish > ~/.config/fish/completions/paddock.fish',
    'complete -c paddock -f',
    ...top.map(({ name, says }) => word("'__fish_use_subcommand'", name, says)),
    word("'__fish_use_subcommand'", 'operator', 'What operators order and look at'),
    ...commands.flatMap((command) => fishLines(command, groups)),
  ];
  return `${lines.join('\n')}\n`;
}

function fishLines(command: Command, groups: ReadonlyMap<string, readonly string[]>): string[] {
  const [first = '', second] = command.name.split(' ');
  const others = (groups.get(first) ?? []).join(' ');
  const seen = `__fish_seen_subcommand_from ${first}`;
  const isHere =
    second === undefined
      ? `'${seen}${others === '' ? '' : `; and not __fish_seen_subcommand_from ${others}`}'`
      : `'${seen}; and __fish_seen_subcommand_from ${second}'`;
  const itself =
    second === undefined
      ? []
      : [word(`'${seen}; and not __fish_seen_subcommand_from ${others}'`, second, command.says)];
  const files = takesFiles(command) ? [`complete -c paddock -n ${isHere} -F`] : [];
  const words = placeWords(command).map((each) => word(isHere, each, ''));
  const options = optionsOf(command).map(([name, { says, value, short, among, isFile }]) =>
    [
      `complete -c paddock -n ${isHere} -l ${name}`,
      ...(short === undefined ? [] : [`-s ${short}`]),
      // -x: a value, and no file.
      ...(value === undefined ? [] : [isFile === true ? '-r -F' : '-x']),
      ...(among === undefined ? [] : [`-a '${among.join(' ')}'`]),
      `-d ${quoted(says)}`,
    ].join(' '),
  );
  return [...itself, ...files, ...words, ...options];
}

function word(condition: string, name: string, says: string): string {
  return `complete -c paddock -n ${condition} -a ${name} -d ${quoted(says)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
