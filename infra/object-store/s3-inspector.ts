import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { ObjectDigest, ObjectInspector } from '../ports/object-inspector.ts';
import { failureOf, isAbsent } from './s3-failure.ts';
import { clientConfig, type S3StoreOptions } from './s3-options.ts';
import { createS3Store } from './s3-store.ts';

const attemptsMax = 3;
/** The client repeats no bodies: of one that ends too early only another reading tells whether it always does. */
const readingsMax = 2;

/** Looks at a bucket from outside of the service, object by object. */
export function createS3Inspector(options: S3StoreOptions): ObjectInspector {
  const store = createS3Store(options);
  const client = new S3Client({
    ...clientConfig(options, attemptsMax),
    // Else bytes that are not those of the store's own checksum would pass for a store that is away.
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  return {
    hasBucket: () => store.hasBucket(),
    size: (key) => store.size(key),
    async digest(key) {
      for (let reading = 1; ; reading += 1) {
        try {
          const place = { Bucket: options.bucket, Key: key };
          const { Body } = await client.send(new GetObjectCommand(place));
          return Body === undefined ? undefined : await digestOf(Body as Readable);
        } catch (error) {
          if (isAbsent(error)) return undefined;
          if (reading === readingsMax) throw failureOf(error);
        }
      }
    },
  };
}

async function digestOf(body: Readable): Promise<ObjectDigest> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  for await (const piece of body as AsyncIterable<Uint8Array>) {
    hash.update(piece);
    sizeBytes += piece.length;
  }
  return { sizeBytes, sha256: hash.digest('hex') };
}
