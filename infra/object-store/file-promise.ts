import type { PutObjectCommandInput } from '@aws-sdk/client-s3';
import type { PutOptions } from '../ports/object-store.ts';

/** What a file's upload says of it beside its length. */
export type FilePromise = Pick<
  PutObjectCommandInput,
  'ChecksumSHA256' | 'ContentType' | 'IfNoneMatch'
>;

export const onlyIfAbsent = { IfNoneMatch: '*' } as const;

export function bodyPromise({ contentType, sha256 }: PutOptions) {
  return { ContentType: contentType, ChecksumSHA256: base64OfHex(sha256) };
}

export function base64OfHex(hex: string): string {
  if (!/^[0-9a-f]{64}$/.test(hex)) throw new TypeError('a SHA-256 is 64 lower-case hex digits');
  return Buffer.from(hex, 'hex').toString('base64');
}
