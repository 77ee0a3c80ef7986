import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { markOfText, textOfMark } from '../history/mark-text.ts';
import type { MarkCopy } from '../ports/history.ts';
import { failureOf, isAbsent } from './s3-failure.ts';
import { clientConfig, type S3StoreOptions } from './s3-options.ts';

/** Whoever waits for it comes again in a few seconds. */
const requestTimeout = 2_000;

/** Written again and again, as nothing else is but the trial of a store that took no file. */
export function createS3MarkCopy(options: S3StoreOptions): MarkCopy {
  const client = new S3Client(clientConfig(options, 1));
  const placeOf = (genesis: string) => ({
    Bucket: options.bucket,
    Key: `history/${genesis}.json`,
  });
  return {
    name: 'object_store',
    async read(genesis) {
      try {
        const command = new GetObjectCommand(placeOf(genesis));
        const { Body } = await client.send(command, { requestTimeout });
        const text = await Body?.transformToString();
        return text === undefined ? undefined : markOfText(text);
      } catch (error) {
        if (isAbsent(error)) return undefined;
        throw failureOf(error);
      }
    },
    async write(mark) {
      const Body = textOfMark(mark);
      const command = new PutObjectCommand({
        ...placeOf(mark.genesis),
        Body,
        ContentType: 'application/json',
      });
      try {
        await client.send(command, { requestTimeout });
      } catch (error) {
        throw failureOf(error);
      }
    },
  };
}
