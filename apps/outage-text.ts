import { StorageUnavailable } from '../infra/object-store/storage-unavailable.ts';
import { isOutage } from '../infra/postgres/failure.ts';

/** A neighbour that is away or lets nobody in, as one sentence for whoever typed a command; undefined of a defect. */
export function outageText(error: unknown): string | undefined {
  if (error instanceof StorageUnavailable) return error.message;
  if (error instanceof Error && isOutage(error)) return `the database: ${error.message}`;
  return undefined;
}
