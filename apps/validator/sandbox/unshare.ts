import {
  asUser,
  firstInput,
  insideEnvironment,
  insideFolder,
  pythonArguments,
  type SandboxCommand,
  type SandboxPlan,
  systemFolders,
} from './command.ts';

/**
 * What bubblewrap does, done with the tools that every distribution has, for machines without it: the
 * same namespaces, the same root that nobody can write to. The seccomp filter is a file here, which
 * the first line of the runner takes upon itself.
 */
export function unshareCommand(plan: SandboxPlan): SandboxCommand {
  const files = plan.filter === undefined ? plan.files : { ...plan.files, filter: plan.filter };
  const spaces = ['--user', '--map-root-user', '--mount', '--pid', '--net', '--ipc', '--uts'];
  const environment = Object.entries(insideEnvironment).map(([name, value]) => `${name}=${value}`);
  const script = scriptOf(Object.keys(files), plan.python.home);
  return {
    ...asUser(plan.userId, [
      // Innermost, for a change of user would forget it: it dies with us, and its child with it.
      ...(['setpriv', '--pdeathsig', 'KILL', '--'] as const),
      ...['unshare', ...spaces, '--cgroup', '--fork', '--kill-child', '--'],
      ...['/bin/sh', '-c', script, 'sandbox'],
      ...['env', '-i', ...environment, ...pythonArguments(plan)],
    ]),
    inputs: Object.values(files),
  };
}

/**
 * Builds the root in a tmpfs over /tmp, which every machine has, locks it and moves into it. The
 * rights that this needed are given up before the first line of Python.
 */
function scriptOf(names: readonly string[], home: string | undefined): string {
  const folders = ['/usr', ...(home === undefined ? [] : [home])];
  return [
    'set -eu',
    'umask 022',
    'mount -t tmpfs -o mode=0755,size=8m sandbox /tmp',
    'cd /tmp',
    `mkdir -p dev old proc ${insideFolder.slice(1)}`,
    // For umount alone, which looks its mounts up there; it goes as the last one.
    'mount --rbind /proc proc',
    ...folders.map((folder) => bound(folder)),
    ...systemFolders.map(
      (folder) =>
        `if [ -L ${folder} ]; then cp -P ${folder} .${folder}; elif [ -d ${folder} ]; then ${bound(folder)}; fi`,
    ),
    ...['null', 'zero', 'urandom'].map(
      (name) => `: > dev/${name}; mount --bind /dev/${name} dev/${name}`,
    ),
    ...names.map((name, index) => {
      const input = firstInput + index;
      return `cat <&${input} > .${insideFolder}/${name}; exec ${input}<&-`;
    }),
    'mount -o remount,ro,mode=0755,size=8m sandbox /tmp',
    'pivot_root . old',
    'cd /',
    'umount -l /old',
    'umount -l /proc',
    // Not in the shell's place: a first process of a namespace would not die of its limits.
    `setpriv --no-new-privs --securebits=+noroot,+noroot_locked --bounding-set=-all --inh-caps=-all -- "$@" || exit $?`,
  ].join('\n');
}

/** Bound with everything below it, then without the right to write. */
function bound(folder: string): string {
  const quoted = `'${folder.replaceAll("'", `'\\''`)}'`;
  return `mkdir -p .${quoted}; mount --rbind ${quoted} .${quoted}; mount -o remount,bind,ro,nosuid,nodev .${quoted}`;
}
