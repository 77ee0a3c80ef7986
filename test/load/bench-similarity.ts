/**
 * `npm run bench:similarity`: what it costs to compare one file with thousands of earlier ones. The
 * earlier ones are planted as rows: each hotkey submits again and again, changing a tenth of its
 * file, and a fifth of every file is common to all.
 */
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { readVersion, reportNext } from '../../actors/services/similarity/similarity.actor.ts';
import { leaseUnread } from '../../actors/services/similarity/store.ts';
import { systemClock } from '../../infra/clock/system-clock.ts';
import { sha256Hex } from '../../infra/ids/ids.ts';
import { closeSql, createSql } from '../../infra/postgres/client.ts';
import { migrate } from '../../infra/postgres/migrate.ts';
import { transaction } from '../../infra/postgres/transaction.ts';
import { createCodeFingerprinter } from '../../infra/python/code-fingerprinter.ts';
import { addSuite } from '../support/eval-desk.ts';
import { silentLogger } from '../support/silent-telemetry.ts';
import { temporaryPostgres } from '../support/temporary-servers.ts';
import { percentile } from './percentile.ts';
import { ProcessCpu } from './process-cpu.ts';

const { values } = parseArgs({
  options: {
    hotkeys: { type: 'string', default: '500' },
    versions: { type: 'string', default: '10' },
    fingerprints: { type: 'string', default: '2500' },
    rounds: { type: 'string', default: '20' },
  },
});
