import type { RunningService } from './start-service.ts';
import { table } from './terminal.ts';
import type { World } from './world.ts';

/** Where to go from here, for whoever reads the terminal. */
export function sayWhere({ options, terminal }: World, service: RunningService): void {
  const [baseUrl] = service.baseUrls;
  const rows = [
    ['Base URL', service.baseUrls.join(', ')],
    ['Pages', `${baseUrl}/`],
    ['API page', `${baseUrl}/docs`],
    ['Operator', `${baseUrl}/app/operator, token in ${options.dataDir}/secrets.json`],
    ...kept(options),
  ];
  terminal.line();
  for (const line of table(rows)) terminal.line(line);
}

/** What is left where the service ends with its play. */
export function sayKept({ options, terminal }: World): void {
  terminal.line();
  for (const line of table(kept(options))) terminal.line(line);
}

function kept({ dataDir }: World['options']): [string, string][] {
  return [
    ['Data', dataDir],
    ['Logs', `${dataDir}/logs`],
  ];
}

export async function serveUntilStopped({ terminal, signal }: World): Promise<number> {
  terminal.line(`${terminal.style('bold', 'Serving.')} Press Ctrl-C to stop everything.`);
  await untilAborted(signal);
  return 0;
}

/** The empty world: no suite, no registrations. */
export async function sayServing(world: World, service: RunningService): Promise<number> {
  sayWhere(world, service);
  return await serveUntilStopped(world);
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
