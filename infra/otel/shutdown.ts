let stop: () => Promise<void> = async () => undefined;

/** The SDK says here how it is stopped; apart from it, so that asking loads no SDK. */
export function setShutdown(shutdown: () => Promise<void>): void {
  stop = shutdown;
}

/**
 * Sends the spans that wait and closes /metrics; the last thing a draining process does. Does nothing
 * in a process without the SDK, and a collector that is down holds it for the exporter's time limit
 * only. Never throws.
 */
export async function shutdownTelemetry(): Promise<void> {
  const stopping = stop();
  setShutdown(async () => undefined);
  await stopping.catch(() => undefined);
}
