import { S3Error } from './s3-error.ts';

/** First and last byte, both included. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/** One range of bytes; anything else is ignored, as RFC 9110 section 14.2 allows. */
export function readByteRange(
  header: string | undefined,
  sizeBytes: number,
): ByteRange | undefined {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  if (from !== '' && to !== '' && Number(to) < Number(from)) return undefined;
  const range =
    from === ''
      ? { first: Math.max(0, sizeBytes - Number(to)), last: sizeBytes - 1 }
      : {
          first: Number(from),
          last: to === '' ? sizeBytes - 1 : Math.min(Number(to), sizeBytes - 1),
        };
  if (range.first > range.last) {
    throw new S3Error('InvalidRange', 'The range lies outside of the object.');
  }
  return range;
}
