import { randomBytes } from 'node:crypto';
import { PutObjectCommand, type PutObjectCommandInput, type S3Client } from '@aws-sdk/client-s3';
import { sha256Hex } from '../ids/ids.ts';
import { bodyPromise, onlyIfAbsent } from './file-promise.ts';
import { heedsConditions, isForbidden, isRefusal } from './s3-failure.ts';
import { probeMs } from './s3-options.ts';
import { FilesRefused } from './storage-unavailable.ts';

/** Written over and over, in the one folder where that is to be expected (infra/guides/operators.md). */
const trialKey = 'history/write-trial';
/** As large as an agent's file: a store may have room for a few bytes only. */
const trialBytesMax = 1_000_000;

type Upload = Pick<PutObjectCommandInput, 'ContentLength' | 'IfNoneMatch'>;

/**
 * Whether a store that answers takes files: it may be full, or only read, or not know the condition of
 * what is written once. Once it took a file of ours not, for no fault of the file's, something is put at
 * each question, and with that condition where the file had it, until it is taken. So one failure alone
 * says nothing, and no traffic is needed to see the end of it.
 */
export class WriteDoubt {
  readonly #client: S3Client;
  readonly #bucket: string;
  /** The most that was not taken since the last that was. */
  #refusedBytes = 0;
  /** Whether the store forbade any of those. */
  #wasForbidden = false;
  /** Whether any of those was to be written only where nothing lies. */
  #wasConditional = false;

  /** @param client one that repeats nothing */
  constructor(client: S3Client, bucket: string) {
    this.#client = client;
    this.#bucket = bucket;
  }

  taken({ IfNoneMatch: condition }: Upload): void {
    // What has no condition says nothing of what has one.
    if (condition !== undefined || !this.#wasConditional) this.#end();
  }

  refused({ ContentLength: bytes = 0, IfNoneMatch: condition }: Upload, error: unknown): void {
    this.#refusedBytes = Math.max(this.#refusedBytes, bytes, 1);
    this.#wasForbidden ||= isForbidden(error);
    this.#wasConditional ||= condition !== undefined;
  }

  /** @throws FilesRefused while what is put is not taken */
  async settle(): Promise<void> {
    if (this.#refusedBytes === 0) return;
    try {
      await this.#put(Math.min(this.#refusedBytes, trialBytesMax));
      if (this.#wasConditional) await this.#putOnce();
    } catch (error) {
      // A right that is wanting for this key alone says nothing of others.
      if (!isForbidden(error) || this.#wasForbidden) throw named(error);
    }
    this.#end();
  }

  async #put(bytes: number, condition: Pick<Upload, 'IfNoneMatch'> = {}): Promise<void> {
    // Nothing that a store could keep in less room.
    const body = randomBytes(bytes);
    const command = new PutObjectCommand({
      ...{ Bucket: this.#bucket, Key: trialKey },
      ...{ Body: body, ContentLength: bytes },
      ...bodyPromise({ contentType: 'application/octet-stream', sha256: sha256Hex(body) }),
      ...condition,
    });
    await this.#client.send(command, { requestTimeout: probeMs });
  }

  /** Where something lies already, so that a store that heeds the condition takes nothing. */
  async #putOnce(): Promise<void> {
    try {
      await this.#put(1, onlyIfAbsent);
    } catch (error) {
      if (heedsConditions(error)) return;
      throw isRefusal(error) ? new FilesRefused(noConditions, { cause: error }) : error;
    }
  }

  #end(): void {
    this.#refusedBytes = 0;
    this.#wasForbidden = false;
    this.#wasConditional = false;
  }
}

const noConditions =
  'the object store takes files, but none with the condition that nothing lies there (If-None-Match: *)';

function named(error: unknown): FilesRefused {
  if (error instanceof FilesRefused) return error;
  return new FilesRefused('the object store answers, and takes no files', { cause: error });
}
