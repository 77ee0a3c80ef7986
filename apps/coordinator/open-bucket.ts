import { StorageUnavailable } from '../../infra/object-store/storage-unavailable.ts';
import type { Clock } from '../../infra/ports/clock.ts';
import type { Logger } from '../../infra/ports/log.ts';
import type { ObjectStore } from '../../infra/ports/object-store.ts';
import type { Sql } from '../../infra/ports/sql.ts';

export interface BucketDeps {
  readonly objects: Pick<ObjectStore, 'ensureBucket' | 'hasBucket'>;
  readonly bucket: string;
  readonly sql: Sql;
  readonly clock: Clock;
  readonly log: Logger;
}

const againMs = 10_000;

/**
 * Makes the bucket of a database that names no files yet. Where it names some, a bucket that is not
 * there is a mistyped one, or one that was lost: a new one in its place would hide both. A store that is
 * away keeps nobody from deciding, and is asked again until the returned function is called.
 *
 * @throws Error that says what to do, where the bucket is missing
 */
export async function openBucket(deps: BucketDeps): Promise<() => void> {
  if (await isOpened(deps)) return () => undefined;
  const stop = deps.clock.every(againMs, async () => {
    try {
      if (await isOpened(deps)) stop();
    } catch (error) {
      deps.log.error('the bucket cannot be used', { error });
    }
  });
  return stop;
}

async function isOpened(deps: BucketDeps): Promise<boolean> {
  const { objects, log } = deps;
  try {
    if (await objects.hasBucket()) return true;
    await requireNewDatabase(deps);
    await objects.ensureBucket();
    return true;
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error;
    log.warn('the object store is away; its bucket is looked for again', { error });
    return false;
  }
}

async function requireNewDatabase({ bucket, sql }: BucketDeps): Promise<void> {
  const [row] = await sql<{ namesFiles: boolean }[]>`
    select exists (select from agent_version) or exists (select from pack) as "namesFiles"`;
  if (row?.namesFiles !== true) return;
  throw new Error(
    `the bucket ${bucket} is not there, and this database names files that are in its bucket: ` +
      'mend S3_BUCKET or S3_ENDPOINT; or, if the bucket is lost, create it by hand and copy back what is left of it',
  );
}
