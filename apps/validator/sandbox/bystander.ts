import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

export interface Bystander extends AsyncDisposable {
  readonly pid: number;
}

/**
 * A process of this machine by whose number a box is asked whether it sees the machine's processes. A box of
 * its own counts its few processes from one, so a small number is there in any box: where ours is small, as
 * in a container, another process is started until one has a number that no such box can have.
 */
export async function bystander(ownPid: number = process.pid): Promise<Bystander> {
  if (ownPid > boxPidMax) return { pid: ownPid, [Symbol.asyncDispose]: async () => {} };
  for (let tries = 0; tries <= boxPidMax; tries++) {
    const child = spawn('sleep', ['60'], { stdio: 'ignore' });
    const ended = once(child, 'close').catch(() => undefined);
    const end = () => endOf(child, ended);
    const { pid } = child;
    if (pid !== undefined && pid > boxPidMax) return { pid, [Symbol.asyncDispose]: end };
    await end();
    if (pid === undefined) break;
  }
  // It may be taken for one of the box's own: a box is refused then, and none is let through.
  return { pid: ownPid, [Symbol.asyncDispose]: async () => {} };
}

/** More than a box has had processes by the time of its trial. */
const boxPidMax = 300;

async function endOf(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  child.kill('SIGKILL');
  await ended;
}
