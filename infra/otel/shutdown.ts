const stops: (() => Promise<void>)[] = [];

/** Whatever of telemetry was started says here how it is stopped; apart from it, so that asking loads none. */
export function onShutdown(stop: () => Promise<void>): void {
  stops.push(stop);
}

/**
 * Sends the spans that wait and closes /metrics; the last thing a draining process does. Does nothing
 * in a process without either, and a collector that is down holds it for the exporter's time limit
 * only. Never throws.
 */
export async function shutdownTelemetry(): Promise<void> {
  await Promise.allSettled(stops.splice(0).map((stop) => stop()));
}
