import type { Clock } from '../../../infra/ports/clock.ts';
import type { ObjectInspector } from '../../../infra/ports/object-inspector.ts';
import { closeSql } from '../../../infra/postgres/client.ts';
import type { Terminal } from '../../world/terminal.ts';
import { LiveUnreadable } from '../live/live-unreadable.ts';
import { openReader, requireSchema } from '../open-reader.ts';
import type { ObjectsOptions } from '../options.ts';
import type { FileKind } from './file-kind.ts';
import { findKind, type KindFinding, type KindSearch } from './find-kind.ts';
import { troubleOf } from './look-for.ts';
import { ObjectsUnreadable } from './objects-unreadable.ts';
import { perhapsStored } from './perhaps-stored.ts';
import { documentOf, lineOf, summaryOf, troublesOf, verdictOf } from './report.ts';
import { storedFirst } from './stored-first.ts';

export interface ObjectsVerification {
  readonly options: ObjectsOptions;
  readonly databaseUrl: string;
  readonly store: ObjectInspector;
  /** As the store knows it. */
  readonly bucket: string;
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly rowsPerPage?: number;
}

const exitCodes = { sound: 0, lost: 1, unfinished: 2 } as const;
/** Lines show five of each; a document has all of them, however many that are. */
const shownMax = 5;
const rowsPerPage = 1_000;

/**
 * Asks the store for each file that a row names, a line for each kind; the exit code: 1 when one is missing
 * or is another, 2 when of some the store does not say. Throws LiveUnreadable and ObjectsUnreadable.
 */
export async function verifyObjects(verification: ObjectsVerification): Promise<number> {
  const { options, terminal, clock } = verification;
  const startedMs = clock.monotonicMs();
  const findings: KindFinding[] = [];
  for await (const finding of findingsOf(verification)) {
    findings.push(finding);
    if (!options.isJson) tell(terminal, finding);
  }
  const ms = clock.monotonicMs() - startedMs;
  if (options.isJson) terminal.line(JSON.stringify(documentOf(findings, ms)));
  else terminal.line(summaryOf(findings, ms));
  return exitCodes[verdictOf(findings)];
}

async function* findingsOf(verification: ObjectsVerification): AsyncGenerator<KindFinding> {
  const { options, databaseUrl, store, bucket, clock } = verification;
  const { only, isJson, isHashed, statementTimeoutMs } = options;
  const sql = openReader(databaseUrl, statementTimeoutMs);
  const search = {
    ...{ sql, store, clock, isHashed, keptMax: isJson ? Number.POSITIVE_INFINITY : shownMax },
    rowsPerPage: verification.rowsPerPage ?? rowsPerPage,
  };
  try {
    await requireSchema(sql);
    await requireBucket(store, bucket);
    for (const kind of [...storedFirst, ...perhapsStored]) {
      if (only.length > 0 && !only.includes(kind.id)) continue;
      const finding = await findingOf(kind, search);
      // What is said of an object is the same where the whole bucket is gone.
      if (finding.missing.count > 0) await requireBucket(store, bucket);
      yield finding;
    }
  } finally {
    await closeSql(sql);
  }
}

async function findingOf(kind: FileKind, search: KindSearch): Promise<KindFinding> {
  try {
    return await findKind(kind, search);
  } catch (cause) {
    if (cause instanceof ObjectsUnreadable) throw cause;
    const { code, message } = Object(cause) as { code?: unknown; message?: unknown };
    const why =
      code === '42501'
        ? "this login may not read them: take the coordinators', the edges' or the owner's"
        : String(message ?? 'nobody answers');
    throw new LiveUnreadable(`the rows that name ${kind.subject} cannot be read: ${why}`, {
      cause,
    });
  }
}

async function requireBucket(store: ObjectInspector, bucket: string): Promise<void> {
  const isThere = await store.hasBucket().catch((cause: unknown) => {
    const message = `the object store cannot be asked: ${troubleOf(cause)}`;
    throw new ObjectsUnreadable(message, { cause });
  });
  if (isThere) return;
  throw new ObjectsUnreadable(
    `the bucket ${bucket} is not there: mend S3_BUCKET or S3_ENDPOINT, or create it and copy back what is left of it`,
  );
}

function tell(terminal: Terminal, finding: KindFinding): void {
  const troubles = troublesOf(finding);
  const line = lineOf(finding);
  terminal.line(troubles.length > 0 ? terminal.style('red', line) : line);
  for (const text of troubles) terminal.line(text);
}
