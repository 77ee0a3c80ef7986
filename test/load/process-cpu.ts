import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** One hundredth of a second on every Linux that runs Node; there is no way to ask from here. */
const tickUs = 10_000;

interface ProcessTimes {
  readonly parentPid: number;
  readonly ownUs: number;
  /** Of children that have ended and were waited for. */
  readonly endedChildrenUs: number;
}

/**
 * CPU time in microseconds of a process and everything that it started; undefined where there is no
 * /proc. Only differences mean anything.
 */
export function treeCpuUs(rootPid: number): number | undefined {
  if (process.platform !== 'linux') return undefined;
  const all = new Map<number, ProcessTimes>();
  for (const name of readdirSync('/proc')) {
    const times = /^\d+$/.test(name) ? readTimes(Number(name)) : undefined;
    if (times !== undefined) all.set(Number(name), times);
  }
  let sumUs = 0;
  const pids = [rootPid];
  for (const pid of pids) {
    const times = all.get(pid);
    if (times === undefined) continue;
    sumUs += times.ownUs + times.endedChildrenUs;
    for (const [child, { parentPid }] of all) if (parentPid === pid) pids.push(child);
  }
  return sumUs;
}

/** Of this process alone: its children are counted where they belong. */
export function ownCpuUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** CPU time that all cores together have spent on anything. */
export function machineBusyUs(): number {
  const busyMs = cpus().map(({ times }) => times.user + times.nice + times.sys + times.irq);
  return busyMs.reduce((sum, ms) => sum + ms * 1000, 0);
}

/** CPU time that the machine wanted and its host gave to others; 0 where nobody says. */
export function stolenUs(): number {
  if (process.platform !== 'linux') return 0;
  const [total = ''] = readFileSync('/proc/stat', 'latin1').split('\n');
  return Number(total.split(/ +/)[8] ?? 0) * tickUs;
}

function readTimes(pid: number): ProcessTimes | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The program's name stands in brackets and may hold anything.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const ticks = (index: number) => Number(fields[index]) * tickUs;
    return {
      parentPid: Number(fields[1]),
      ownUs: ticks(11) + ticks(12),
      endedChildrenUs: ticks(13) + ticks(14),
    };
  } catch {
    // It ended while we looked.
    return undefined;
  }
}
