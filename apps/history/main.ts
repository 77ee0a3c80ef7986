import { parseArgs } from 'node:util';
import { type Config, ConfigInvalid, readConfig } from '../../infra/config/config.ts';
import type { Sql } from '../../infra/ports/sql.ts';
import { closeSql, createSql } from '../../infra/postgres/client.ts';
import { createHistoryStore } from '../../infra/postgres/history-store.ts';
import { markCopies } from '../open-history.ts';
import { outageText } from '../outage-text.ts';
import { acceptLoss, restoredLoss } from './accept-history.ts';
import { type Comparison, compareHistory } from './compare-history.ts';

const usage = `npm run history
npm run history -- accept [--restored] --operator NAME --reason TEXT

Without anything it shows what the database and each copy say. accept goes on from what the database has.

  --restored       a backup was put in its place: accept that also where no copy knows of anything lost,
                   for the copies may have gone back with it
  --operator NAME  who accepts, for the audit log
  --reason TEXT    why, for the audit log
  --help           show this`;

interface Acceptance {
  readonly operator: string;
  readonly reason: string;
  readonly isRestored: boolean;
}

/**
 * Shows how far the database has come beside what is kept outside of it, and accepts that it went back.
 * Takes DATABASE_URL of its owner and the S3 variables of the service.
 */
async function run(): Promise<number> {
  const line = readLine(process.argv.slice(2));
  if (line === undefined) {
    console.error(usage);
    return 2;
  }
  if (line === 'help') {
    console.log(usage);
    return 0;
  }
  const config = readConfig(process.env, { process: 'history' });
  const sql = createSql({ url: config.databaseUrl, max: 2, applicationName: 'paddock history' });
  try {
    const compared = await compareHistory(createHistoryStore(sql), markCopies(config));
    for (const text of linesOf(compared)) console.log(text);
    if (line === 'show') return compared.lost === undefined ? 0 : 1;
    return await accept({ sql, config }, compared, line);
  } finally {
    await closeSql(sql);
  }
}

/** Undefined where the line is none of ours. */
function readLine(args: readonly string[]): Acceptance | 'help' | 'show' | undefined {
  const parsed = parsedLine(args);
  if (parsed === undefined) return undefined;
  const { positionals, values } = parsed;
  const { operator = '', reason = '', restored: isRestored = false, help = false } = values;
  if (help) return 'help';
  const [verb, ...others] = positionals;
  if (verb === undefined) return isRestored ? undefined : 'show';
  if (verb !== 'accept' || others.length > 0 || operator === '' || reason === '') return undefined;
  return { operator, reason, isRestored };
}

function parsedLine(args: readonly string[]) {
  const options = {
    operator: { type: 'string' },
    reason: { type: 'string' },
    restored: { type: 'boolean' },
    help: { type: 'boolean' },
  } as const;
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch {
    return undefined;
  }
}

async function accept(
  { sql, config }: { readonly sql: Sql; readonly config: Config },
  { here, lost }: Comparison,
  { isRestored, ...by }: Acceptance,
): Promise<number> {
  const loss = lost ?? (isRestored && here ? restoredLoss(here) : undefined);
  if (loss === undefined) {
    const more = here === undefined ? '' : ' After a restore, say so: accept --restored.';
    console.log(`There is nothing to accept.${more}`);
    return 1;
  }
  await acceptLoss(sql, loss, by);
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
  console.error(error instanceof ConfigInvalid ? error.message : (outageText(error) ?? error));
  process.exitCode = 2;
}
