import type { Readable } from 'node:stream';
import type { Clock } from '../../ports/clock.ts';
import type { BlobFiles } from './blob-files.ts';
import type { S3Request } from './s3-request.ts';

/** One request that is allowed, and what is needed to answer it. */
export interface Exchange {
  readonly request: S3Request;
  /** What the signature says of the body. */
  readonly payloadHash: string;
  /** Asks a client that waits for `100 Continue` to go on; to be read once. */
  readonly body: () => AsyncIterable<Uint8Array>;
  readonly files: BlobFiles;
  readonly clock: Clock;
  readonly ignoresQueryChecksums: boolean;
}

export interface S3Response {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Readable;
}
