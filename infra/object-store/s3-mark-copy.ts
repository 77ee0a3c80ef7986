import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { withDeadline } from '../chain/deadline.ts';
import { systemClock } from '../clock/system-clock.ts';
import { markOfText, textOfMark } from '../history/mark-text.ts';
import type { MarkCopy } from '../ports/history.ts';
import { failureOf, isAbsent } from './s3-failure.ts';
import { clientConfig, type S3StoreOptions } from './s3-options.ts';

/** To the end of the answer. Whoever waits looks at nothing else meanwhile, and comes again in a few seconds. */
const timeoutMs = 2_000;

/** Where a database's newest mark lies; the genesis tells databases apart. */
export const markKey = (genesis: string) => `history/${genesis}.json`;

/** Written again and again, as nothing else is but the trial of a store that took no file. */
export function createS3MarkCopy(options: S3StoreOptions): MarkCopy {
  const client = new S3Client(clientConfig(options, 1));
  const limit = { clock: options.clock ?? systemClock, timeoutMs };
  const placeOf = (genesis: string) => ({
    Bucket: options.bucket,
    Key: markKey(genesis),
  });
  return {
    name: 'object_store',
    async read(genesis) {
      try {
        const command = new GetObjectCommand(placeOf(genesis));
        const text = await withDeadline(limit, async (abortSignal) => {
          const { Body } = await client.send(command, { abortSignal });
          return await Body?.transformToString();
        });
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
        await withDeadline(limit, (abortSignal) => client.send(command, { abortSignal }));
      } catch (error) {
        throw failureOf(error);
      }
    },
  };
}
