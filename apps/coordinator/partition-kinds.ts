import { createEmissionKind } from '../../actors/emission-calculator/emission-calculator.actor.ts';
import { createEvalKind } from '../../actors/lease-manager/lease-manager.actor.ts';
import { createRaceKind } from '../../actors/race-coordinator/race-coordinator.actor.ts';
import type { Config } from '../../infra/config/config.ts';
import { idsWithin, uuidV5 } from '../../infra/ids/ids.ts';
import type { Logger } from '../../infra/ports/log.ts';
import type { Sql } from '../../infra/ports/sql.ts';
import type { Telemetry } from '../../infra/ports/telemetry.ts';
import { epochLengthMs } from '../../machines/time/epoch.ts';
import { configuredPolicy } from '../race-policy.ts';
import { evalPolicy } from './eval-policy.ts';

interface PartitionKindDeps {
  readonly sql: Sql;
  /** Of the database's history. */
  readonly branch: number;
  readonly log: Logger;
  readonly telemetry: Telemetry;
}

/** The actors that a coordinator hosts, as they are configured. */
export function partitionKinds(config: Config, deps: PartitionKindDeps) {
  const { sql, branch, log, telemetry } = deps;
  const ids = { uuidV5, idsWithin };
  return [
    createEvalKind({ sql, policy: evalPolicy(config), ids, telemetry }),
    createRaceKind({
      sql,
      configured: configuredPolicy(config),
      close: { closeTime: config.raceCloseTime, timeZone: config.raceTimeZone },
      drawSecret: config.raceSecret,
      ...{ branch, ids, log },
    }),
    createEmissionKind({
      ...{ sql, burnRateMicro: config.burnRateMicro },
      epochMs: config.clock === 'simulated' ? undefined : epochLengthMs(config.epochBlocks),
    }),
  ];
}
