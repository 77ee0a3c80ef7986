import { unlessEndedWithin } from '../../infra/clock/backstop.ts';
import { systemClock } from '../../infra/clock/system-clock.ts';
import { configAdvice, readConfig } from '../../infra/config/config.ts';
import { shutdownTelemetry } from '../../infra/otel/shutdown.ts';
import { createLogger } from '../../infra/telemetry/log.ts';
import { logLinesTo } from '../../infra/telemetry/log-lines.ts';
import { createTelemetry } from '../../infra/telemetry/telemetry.ts';
import { endText } from '../start-failure.ts';
import { endWithParent, untilStopped } from '../until-stopped.ts';
import { startCoordinator } from './coordinator.ts';

const failedStartMs = 5_000;
let wasReady = false;

async function run(): Promise<void> {
  // Whoever turns crash reports on wants stacks, not keys.
  process.report.excludeEnv = true;
  endWithParent(process);
  const config = readConfig(process.env, { process: 'coordinator' });
  const log = createLogger({
    name: config.processName,
    level: config.logLevel,
    write: logLinesTo(process.stderr),
    nowMs: systemClock.nowMs,
  });
  for (const text of configAdvice(config)) log.warn(text);
  await using coordinator = await startCoordinator({
    config,
    log,
    clock: systemClock,
    telemetry: createTelemetry(),
  });
  const stopped = untilStopped(process);
  wasReady = true;
  log.info('ready', { pid: process.pid });
  process.send?.({ ready: true });
  const doomed = Promise.race([coordinator.outdated, coordinator.cutOff]).then(startAnew);
  await Promise.race([stopped, doomed]);
  log.info('stopping');
  // A neighbour that is gone can keep us waiting for ever, and what was acknowledged is committed.
  unlessEndedWithin(config.drainSeconds * 1000, () => {
    log.warn('ending before everything could be closed');
    process.exit();
  });
}

/** Whoever keeps this process running starts one that remembers nothing. */
function startAnew(): void {
  process.exitCode = 75;
}

try {
  await run();
} catch (error) {
  console.error(endText(error, { wasReady }));
  process.exitCode = 1;
  // Whatever is left of it must not keep a process that serves nobody: another is to be started.
  unlessEndedWithin(failedStartMs, () => process.exit());
} finally {
  await shutdownTelemetry();
}
