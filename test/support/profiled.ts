let folder: string | undefined;

/** From now on every process of a service writes there where it spent its time, when it ends. */
export function profileServicesInto(path: string): void {
  folder = path;
}

/** What the environment says (NODE_OPTIONS=--cpu-prof profiles too), and what was asked for here. */
export function serviceNodeOptions(): string {
  const { NODE_OPTIONS = '' } = process.env;
  if (folder === undefined) return NODE_OPTIONS;
  return `${NODE_OPTIONS} --cpu-prof --cpu-prof-dir=${JSON.stringify(folder)}`.trim();
}
