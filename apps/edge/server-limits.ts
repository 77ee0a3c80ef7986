import type { Config } from '../../infra/config/config.ts';
import type { ServerLimits } from './server.ts';

// As long as deployed clients wait for an answer.
const unreadMs = 30_000;
/** Bodies that are read have less by their own budgets, but for files (body-time.ts). */
export const requestMs = 600_000;

/** What one connection may hold and for how long. */
export function serverLimits(config: Config): ServerLimits {
  return {
    headerMs: config.headerSeconds * 1000,
    bodyBytesPerSecondMin: config.bodyBytesPerSecondMin,
    requestMs,
    idleConnectionMs: config.idleConnectionSeconds * 1000,
    unreadMs,
    connectionsMax: config.connectionsMax,
    connectionsPerAddressMax: config.connectionsPerAddress,
  };
}
