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
 * One agent's world: namespaces of its own for everything there is one of, no network, no right, no
 * file that it could write, not even in /tmp or /dev, and nothing of the machine but /usr.
 *
 * /proc is left out: it tells of the machine, and containers often forbid to mount it.
 */
export function bubblewrapCommand(plan: SandboxPlan): SandboxCommand {
  const names = Object.keys(plan.files);
  const files = names.flatMap((name, index) => [
    ...['--perms', '0444', '--ro-bind-data', String(firstInput + index)],
    `${insideFolder}/${name}`,
  ]);
  const filterInput = String(firstInput + names.length);
  const args = [
    ...['--unshare-user', '--unshare-ipc', '--unshare-pid', '--unshare-net', '--unshare-uts'],
    ...['--unshare-cgroup-try', '--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
    ...['--hostname', 'sandbox', '--clearenv'],
    ...Object.entries(insideEnvironment).flatMap(([name, value]) => ['--setenv', name, value]),
    ...['--ro-bind', '/usr', '/usr'],
    ...systemFolders.flatMap((folder) => ['--ro-bind-try', folder, folder]),
    ...(plan.python.home === undefined ? [] : ['--ro-bind', plan.python.home, plan.python.home]),
    // Bound, not made: a device file would need a right that nobody has here.
    ...['/dev/null', '/dev/zero', '/dev/urandom'].flatMap((path) => ['--dev-bind', path, path]),
    ...files,
    ...['--chdir', '/', '--remount-ro', '/'],
    ...(plan.filter === undefined ? [] : ['--seccomp', filterInput]),
    '--',
    ...pythonArguments(plan),
  ];
  return {
    ...asUser(plan.userId, ['bwrap', ...args]),
    inputs: [...Object.values(plan.files), ...(plan.filter === undefined ? [] : [plan.filter])],
  };
}
