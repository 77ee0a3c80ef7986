import type { Service } from '../../infra/ports/lifecycle.ts';

export type Begun<S extends Service> = S & { readonly begun: Promise<void> };

/** Starts while others do; whoever needs it waits for `begun`. */
export function begun<S extends Service>(service: S, stack: AsyncDisposableStack): Begun<S> {
  const start = service.start();
  const settled = start.catch(() => undefined);
  stack.defer(async () => {
    await service.stop();
    // What it began meanwhile ends as well.
    await settled;
    await service.stop();
  });
  return Object.assign(service, { begun: start });
}

/** Whoever waits for this has it running. */
export async function started<S extends Service>(
  service: S,
  stack: AsyncDisposableStack,
): Promise<S> {
  await service.start();
  return stack.adopt(service, (running) => running.stop());
}
