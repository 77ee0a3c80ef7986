import { S3ServiceException } from '@aws-sdk/client-s3';
import { StorageUnavailable } from './storage-unavailable.ts';

/** HEAD has no body to say what is missing; GET says it, and a missing bucket is an outage. */
export function isAbsent(error: unknown): boolean {
  return statusOf(error) === 404 && !named(error, 'NoSuchBucket');
}

export function isTaken(error: unknown): boolean {
  return statusOf(error) === 412;
}

/** Something lies there, or somebody writes it at this moment: either way the condition was read. */
export function heedsConditions(error: unknown): boolean {
  return isTaken(error) || statusOf(error) === 409;
}

/** Of what was asked, and not of the moment: to ask the same again would not help. */
export function isRefusal(error: unknown): boolean {
  const status = statusOf(error) ?? 0;
  const isOfNow =
    isForbidden(error) || named(error, 'RequestTimeout') || [408, 429].includes(status);
  return status === 501 || (status >= 400 && status < 500 && !isOfNow);
}

/** By the store's rules on who may do what, which may differ from key to key. */
export function isForbidden(error: unknown): boolean {
  return statusOf(error) === 403;
}

/**
 * An error that means "the store cannot be used now" as StorageUnavailable, a defect of ours as it
 * is. A refusal (4xx) is a defect, but for those that tell of the store's state, of our access or of the
 * line: S3 says 400 RequestTimeout of an upload that stalls.
 */
export function failureOf(error: unknown): unknown {
  if (error instanceof StorageUnavailable || error instanceof TypeError) return error;
  const status = statusOf(error);
  const refused = status !== undefined && status >= 400 && status < 500;
  const isDefect = refused && ![403, 404, 408, 409, 429].includes(status);
  if (isDefect && !named(error, 'RequestTimeout')) return error;
  return new StorageUnavailable('the object store cannot be used', { cause: error });
}

function statusOf(error: unknown): number | undefined {
  return error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
}

function named(error: unknown, name: string): boolean {
  return error instanceof Error && error.name === name;
}
