import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Groups of processes that do not outlive us, and their folder. A terminal's Ctrl-C and the end of a
 * test's worker reach no group of its own, and what the kernel would send when we die reaches its
 * leader alone. So somebody in a group of his own reads a pipe from us, which ends when we do,
 * however we do: then he ends the groups, waits until they are gone, and removes the folder.
 */
export interface BoundGroups {
  /** @param leader was spawned `detached` */
  bind(leader: ChildProcess): void;
  /** Ends the groups, the last first since it may be a client of those before it, and waits for them. */
  end(): Promise<void>;
}

/** @param folder of the groups alone; removed only when we die, for else it is ours to remove */
export function bindGroups(folder: string): BoundGroups {
  const guard = spawn('bash', ['-c', guardScript, 'guard', folder], {
    ...{ detached: true, stdio: ['pipe', 'ignore', 'ignore'] },
  });
  // That it watches keeps nobody alive; and one that is gone has nobody to tell.
  guard.unref();
  guard.stdin.on('error', () => undefined);
  const leaders: ChildProcess[] = [];
  return {
    bind(leader) {
      leaders.push(leader);
      guard.stdin.write(`${leader.pid}\n`);
    },
    async end() {
      for (const leader of leaders.toReversed()) {
        signalGroup(leader, 'SIGTERM');
        await untilGone(leader);
      }
      guard.stdin.end('over\n');
    },
  };
}

const goneSeconds = 20;

const guardScript = `
  groups=()
  while read -r group; do
    [ "$group" = over ] && exit
    groups+=("-$group")
  done
  [ \${#groups[@]} = 0 ] || kill -TERM -- "\${groups[@]}"
  for ((wait = ${goneSeconds} * 10; wait > 0; wait--)); do
    kill -0 -- "\${groups[@]}" || break
    sleep 0.1
  done
  kill -KILL -- "\${groups[@]}"
  rm -rf -- "$1"`;

/** To all of the group, of which the leader may be gone. */
export function signalGroup({ pid }: ChildProcess, name: NodeJS.Signals | 0): boolean {
  try {
    return pid !== undefined && process.kill(-pid, name);
  } catch {
    return false;
  }
}

async function untilGone(leader: ChildProcess): Promise<void> {
  const deadlineMs = performance.now() + goneSeconds * 1_000;
  while (signalGroup(leader, 0)) {
    if (performance.now() > deadlineMs) signalGroup(leader, 'SIGKILL');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
