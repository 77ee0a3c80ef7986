import { unlessEndedWithin } from '../infra/clock/backstop.ts';
import { systemClock } from '../infra/clock/system-clock.ts';
import { type Config, configAdvice } from '../infra/config/config.ts';
import { shutdownTelemetry } from '../infra/otel/shutdown.ts';
import type { Clock } from '../infra/ports/clock.ts';
import type { Logger } from '../infra/ports/log.ts';
import type { Telemetry } from '../infra/ports/telemetry.ts';
import { createLogger } from '../infra/telemetry/log.ts';
import { logLinesTo } from '../infra/telemetry/log-lines.ts';
import { createTelemetry } from '../infra/telemetry/telemetry.ts';
import { endText } from './start-failure.ts';
import { endWithParent, untilStopped } from './until-stopped.ts';

interface Serving extends AsyncDisposable {
  /** Where it listens, if it does. */
  readonly port?: number;
  readonly failed?: Promise<void>;
  readonly outdated: Promise<void>;
  readonly cutOff: Promise<void>;
}

interface ServingDeps {
  readonly config: Config;
  readonly log: Logger;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

interface Served {
  readonly readConfig: () => Config;
  readonly start: (deps: ServingDeps) => Promise<Serving>;
}

const failedStartMs = 5_000;

/** The life of an edge or a coordinator, all that its main file does: serves until it is stopped or has to be started anew. */
export async function serve(process: NodeJS.Process, served: Served): Promise<void> {
  let wasReady = false;
  try {
    await run(process, served, () => {
      wasReady = true;
    });
  } catch (error) {
    console.error(endText(error, { wasReady }));
    process.exitCode = 1;
    // Whatever is left of it must not keep a process that serves nobody: another is to be started.
    unlessEndedWithin(failedStartMs, () => process.exit());
  } finally {
    await shutdownTelemetry();
  }
}

async function run(
  process: NodeJS.Process,
  { readConfig, start }: Served,
  onReady: () => void,
): Promise<void> {
  // Whoever turns crash reports on wants stacks, not keys.
  process.report.excludeEnv = true;
  endWithParent(process);
  const config = readConfig();
  const log = createLogger({
    name: config.processName,
    level: config.logLevel,
    write: logLinesTo(process.stderr),
    nowMs: systemClock.nowMs,
  });
  for (const text of configAdvice(config)) log.warn(text);
  await using serving = await start({
    config,
    log,
    clock: systemClock,
    telemetry: createTelemetry(),
  });
  const { port, failed, outdated, cutOff } = serving;
  const stopped = untilStopped(process);
  onReady();
  log.info('ready', { pid: process.pid, ...(port !== undefined && { port }) });
  process.send?.({ ready: true, port });
  const doomed = Promise.race([outdated, cutOff]).then(() => {
    // Whoever keeps this process running starts one that remembers nothing.
    process.exitCode = 75;
  });
  await Promise.race([stopped, failed ?? stopped, doomed]);
  log.info('stopping');
  // A neighbour that is gone can keep us waiting for ever, and what was acknowledged is committed.
  unlessEndedWithin(config.drainSeconds * 1000, () => {
    log.warn('ending before everything could be closed');
    process.exit();
  });
}
