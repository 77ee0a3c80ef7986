import { parseArgs } from 'node:util';
import { type Config, ConfigInvalid, readConfig } from '../../infra/config/config.ts';
import type { Sql } from '../../infra/ports/sql.ts';
import { closeSql, createSql } from '../../infra/postgres/client.ts';
import { createHistoryStore } from '../../infra/postgres/history-store.ts';
import { markCopies } from '../open-history.ts';
import { acceptLoss } from './accept-history.ts';
import { type Comparison, compareHistory } from './compare-history.ts';

const usage = `npm run history                                                what the database and each copy say
npm run history -- accept --operator NAME --reason TEXT        go on from what the database has`;

/**
 * Shows how far the database has come beside what is kept outside of it, and accepts that it went back.
 * Takes DATABASE_URL of its owner and the S3 variables of the service.
 */
async function run(): Promise<number> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { operator: { type: 'string' }, reason: { type: 'string' } },
  });
  const isAccepting = positionals[0] === 'accept';
  const { operator = '', reason = '' } = values;
  const isMisused = positionals.length > (isAccepting ? 1 : 0);
  if (isMisused || (isAccepting && (operator === '' || reason === ''))) {
    console.error(usage);
    return 2;
  }
  const config = readConfig(process.env, { process: 'history' });
  const sql = createSql({ url: config.databaseUrl, max: 2, applicationName: 'paddock history' });
  try {
    const compared = await compareHistory(createHistoryStore(sql), markCopies(config));
    for (const line of linesOf(compared)) console.log(line);
    if (!isAccepting) return compared.lost === undefined ? 0 : 1;
    return await accept({ sql, config }, compared, { operator, reason });
  } finally {
    await closeSql(sql);
  }
}

async function accept(
  { sql, config }: { readonly sql: Sql; readonly config: Config },
  { lost }: Comparison,
  by: { readonly operator: string; readonly reason: string },
): Promise<number> {
  if (lost === undefined) {
    console.log('There is nothing to accept.');
    return 1;
  }
  await acceptLoss(sql, lost, by);
  const after = await compareHistory(createHistoryStore(sql), markCopies(config));
  console.log(`Accepted: branch ${after.here?.branch}. Processes start anew within seconds.`);
  return 0;
}

function linesOf({ here, kept, lost }: Comparison): readonly string[] {
  if (here === undefined) return ['No coordinator has worked on this database yet.'];
  const rows = [['database', here] as const, ...kept];
  const marks = rows.map(([name, mark]) =>
    mark === undefined
      ? `${name.padEnd(14)}nothing`
      : `${name.padEnd(14)}branch ${mark.branch}, mark ${mark.seq}, ${new Date(mark.atMs).toISOString()}`,
  );
  if (lost === undefined) return [...marks, 'The database has all that is known of it.'];
  const seconds = Math.max(0, Math.round((lost.kept.atMs - lost.here.atMs) / 1000));
  return [...marks, `The database is ${lost.objection}: about ${seconds} s of it are lost.`];
}

try {
  process.exitCode = await run();
} catch (error) {
  console.error(error instanceof ConfigInvalid ? error.message : error);
  process.exitCode = 2;
}
