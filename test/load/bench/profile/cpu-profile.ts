/** What V8 writes of where a process spent its time; times are microseconds of one clock. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  readonly startTime: number;
  readonly endTime: number;
  /** Ids of nodes, each after its delta from the one before. */
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: CallFrame;
  readonly children?: readonly number[];
}

interface CallFrame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
}

export interface Span {
  readonly fromUs: number;
  readonly toUs: number;
}

/** A function at its place in the stack. Waiting is no part of it. */
export interface Frame {
  readonly name: string;
  readonly where: string;
  readonly selfUs: number;
  /** With everything that it called. */
  readonly totalUs: number;
  /** The largest first. */
  readonly children: readonly Frame[];
}

/** Nobody's work: V8's names for time without any. */
const waiting: ReadonlySet<string> = new Set(['(idle)', '(program)']);

/** What was sampled in the span, or at any time where the span and the profile do not meet. */
export function stackOf(profile: CpuProfile, span: Span): Frame {
  const doMeet = span.fromUs < profile.endTime && span.toUs > profile.startTime;
  const own = doMeet ? span : { fromUs: profile.startTime, toUs: profile.endTime };
  const selfUs = selfTimes(profile, own);
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const frameOf = (node: ProfileNode): Frame => {
    const children = (node.children ?? [])
      .flatMap((id) => nodes.get(id) ?? [])
      .map(frameOf)
      .filter(({ totalUs }) => totalUs > 0)
      .toSorted((a, b) => b.totalUs - a.totalUs);
    const own = waiting.has(node.callFrame.functionName) ? 0 : (selfUs.get(node.id) ?? 0);
    const totalUs = children.reduce((sum, child) => sum + child.totalUs, own);
    return { ...namesOf(node.callFrame), selfUs: own, totalUs, children };
  };
  const [root] = profile.nodes;
  if (root === undefined) throw new Error('the profile is empty');
  return frameOf(root);
}

/** A sample stands for the time until the next one. */
function selfTimes(profile: CpuProfile, { fromUs, toUs }: Span): ReadonlyMap<number, number> {
  const { samples, timeDeltas, startTime, endTime } = profile;
  const times = new Map<number, number>();
  let atUs = startTime;
  for (const [index, id] of samples.entries()) {
    atUs += timeDeltas[index] ?? 0;
    const untilUs = index + 1 < samples.length ? atUs + (timeDeltas[index + 1] ?? 0) : endTime;
    const us = Math.min(untilUs, toUs) - Math.max(atUs, fromUs);
    if (us > 0) times.set(id, (times.get(id) ?? 0) + us);
  }
  return times;
}

function namesOf({ functionName, url, lineNumber }: CallFrame) {
  const name = functionName === '' ? '(anonymous)' : functionName;
  return { name, where: url === '' ? '' : `${shortened(url)}:${lineNumber + 1}` };
}

/** Below the repository or the package; the rest of the path is the machine's. */
function shortened(url: string): string {
  const [, inPackage] = /\/node_modules\/(?!.*\/node_modules\/)(.*)$/.exec(url) ?? [];
  const [, ours] = /\/((?:actors|apps|infra|machines|test)\/.*)$/.exec(url) ?? [];
  return inPackage ?? ours ?? url.replace(/^file:\/\/.*\//, '');
}

export interface HotFunction {
  readonly name: string;
  readonly where: string;
  readonly selfUs: number;
  /** Each stack once, however often the function stands in it. */
  readonly totalUs: number;
}

/** Functions by their own time, wherever they were called from. */
export function hottest(root: Frame, count: number): readonly HotFunction[] {
  const all = new Map<string, HotFunction>();
  const walk = (frame: Frame, above: ReadonlySet<string>) => {
    const { name, where } = frame;
    const key = `${name} ${where}`;
    const known = all.get(key) ?? { name, where, selfUs: 0, totalUs: 0 };
    const selfUs = known.selfUs + frame.selfUs;
    const totalUs = known.totalUs + (above.has(key) ? 0 : frame.totalUs);
    all.set(key, { name, where, selfUs, totalUs });
    for (const child of frame.children) walk(child, new Set([...above, key]));
  };
  for (const child of root.children) walk(child, new Set());
  return [...all.values()].toSorted((a, b) => b.selfUs - a.selfUs).slice(0, count);
}

export function hottestText(root: Frame, count: number): string {
  const share = (us: number) => `${((100 * us) / root.totalUs).toFixed(1)} %`.padStart(8);
  const rows = hottest(root, count).map(
    ({ name, where, selfUs, totalUs }) =>
      `${share(selfUs)} ${share(totalUs)} ${(selfUs / 1000).toFixed(1).padStart(9)}  ${name}  ${where}`,
  );
  const head = `${'self'.padStart(8)} ${'total'.padStart(8)} ${'self ms'.padStart(9)}  function`;
  return `${[head, ...rows].join('\n')}\n`;
}

/** Which program it was, by the files that it ran; `other` where they do not say. */
export function programOf({ nodes }: CpuProfile): string {
  const urls = nodes.map(({ callFrame }) => callFrame.url);
  const runs = (path: string) => urls.some((url) => url.includes(path));
  const [worker] = urls.flatMap(
    (url) => /\/([a-z0-9-]+-(?:worker|thread))\.ts$/.exec(url)?.[1] ?? [],
  );
  if (runs('/apps/edge/')) return 'edge';
  if (runs('/actors/runtime/') || runs('/apps/coordinator/')) return 'coordinator';
  return worker ?? 'other';
}
