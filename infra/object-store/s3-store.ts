import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { PassThrough } from 'node:stream';
import type { GetObjectCommandInput, PutObjectCommandInput } from '@aws-sdk/client-s3';
import {
  CreateBucketCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { withDeadline } from '../chain/deadline.ts';
import { systemClock } from '../clock/system-clock.ts';
import type { Clock } from '../ports/clock.ts';
import type {
  Content,
  GivenOutAs,
  ObjectStore,
  PresignedUpload,
  PutOptions,
} from '../ports/object-store.ts';
import { checksumTrial, checksumTrialKey, refusesOtherBytes } from './checksum-trial.ts';
import { base64OfHex, bodyPromise, type FilePromise, onlyIfAbsent } from './file-promise.ts';
import { failureOf, isAbsent, isTaken } from './s3-failure.ts';
import type { S3StoreOptions } from './s3-options.ts';
import { clientConfig, presignedEndpoint, probeMs, requestMs } from './s3-options.ts';
import { spool } from './spool.ts';
import { StorageUnavailable } from './storage-unavailable.ts';
import { WriteDoubt } from './write-doubt.ts';

/** One bucket of any store that speaks S3. */
export function createS3Store(options: S3StoreOptions): ObjectStore {
  return new S3Store(options);
}

const attemptsMax = 3;
const retryMs = 200;
/** A line slower than this is taken for a broken one: 1 MB per second. */
const uploadBytesPerMs = 1000;

/**
 * 1. A key that we write is written once: every upload of ours says `If-None-Match: *`. The exception
 *    is what replaces a damaged object under the hash of its bytes, so that whoever comes last writes
 *    what the first did. Uploads by presigned URL say no such thing, since a plain PUT has to do.
 * 2. The store compares every byte of ours with its SHA-256 before it keeps it, and the client does
 *    again when it reads.
 */
class S3Store implements ObjectStore {
  readonly #bucket: string;
  readonly #clock: Clock;
  readonly #client: S3Client;
  readonly #oneAttempt: S3Client;
  /** Never sends anything. */
  readonly #presigning: S3Client;
  readonly #doubt: WriteDoubt;

  constructor(options: S3StoreOptions) {
    this.#bucket = options.bucket;
    this.#clock = options.clock ?? systemClock;
    this.#client = new S3Client(clientConfig(options, attemptsMax));
    this.#oneAttempt = new S3Client(clientConfig(options, 1));
    this.#doubt = new WriteDoubt(this.#oneAttempt, options.bucket);
    const endpoint = presignedEndpoint(options);
    this.#presigning = new S3Client(clientConfig({ ...options, endpoint }, 1));
  }

  async putOnce(key: string, body: Uint8Array, options: PutOptions): Promise<boolean> {
    return await this.#putBytes(key, body, { ...onlyIfAbsent, ...bodyPromise(options) });
  }

  async put(key: string, body: Uint8Array, options: PutOptions): Promise<void> {
    await this.#putBytes(key, body, bodyPromise(options));
  }

  async #putBytes(key: string, body: Uint8Array, promise: FilePromise): Promise<boolean> {
    const content = { Body: body, ContentLength: body.length };
    return await this.#write(this.#client, key, { ...content, ...promise });
  }

  async putFileOnce(key: string, path: string, options: PutOptions): Promise<boolean> {
    return await this.#putFile(key, path, { ...onlyIfAbsent, ...bodyPromise(options) });
  }

  async putFile(key: string, path: string, options: PutOptions): Promise<void> {
    await this.#putFile(key, path, bodyPromise(options));
  }

  /** The client does not repeat streams: each attempt opens the file anew. */
  async #putFile(key: string, path: string, promise: FilePromise): Promise<boolean> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#uploadFile(key, path, promise);
      } catch (error) {
        if (attempt === attemptsMax || !(error instanceof StorageUnavailable)) throw error;
        await this.#clock.sleep(retryMs * attempt);
      }
    }
  }

  /**
   * Through a file of ours: not every store that heeds `If-None-Match` when it takes an object does so
   * when it copies one by itself.
   */
  async copyOnce(source: string, target: string, scratch: string): Promise<boolean | undefined> {
    return await orUndefined(async () => {
      const { Body, ContentType } = await this.#client.send(this.#read(source));
      if (Body === undefined) return undefined;
      await using file = await spool(Body as Readable, scratch);
      const contentType = ContentType ?? 'application/octet-stream';
      return await this.putFileOnce(target, file.path, { contentType, sha256: file.sha256 });
    });
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    return await orUndefined(async () => {
      const { Body } = await this.#client.send(this.#read(key));
      return await Body?.transformToByteArray();
    });
  }

  async getStream(key: string): Promise<Readable | undefined> {
    return await orUndefined(async () => {
      const { Body } = await this.#client.send(this.#read(key));
      return Body === undefined ? undefined : withNamedFailure(Body as Readable);
    });
  }

  async size(key: string): Promise<number | undefined> {
    return await orUndefined(async () => {
      const command = new HeadObjectCommand({ Bucket: this.#bucket, Key: key });
      return (await this.#client.send(command)).ContentLength;
    });
  }

  async holds(key: string, { sha256, sizeBytes }: Content): Promise<boolean> {
    const found = await orUndefined(() => {
      const named = { Bucket: this.#bucket, Key: key };
      return this.#client.send(new HeadObjectCommand({ ...named, ChecksumMode: 'ENABLED' }));
    });
    if (found?.ContentLength !== sizeBytes) return false;
    const { ChecksumSHA256: kept } = found;
    // Of an upload in parts it is a hash of hashes, with the number of parts behind it.
    return kept === undefined || kept.includes('-') || kept === base64OfHex(sha256);
  }

  async presignGet(key: string, expiresInSeconds: number, as?: GivenOutAs): Promise<string> {
    const command = this.#read(key, as === undefined ? {} : attachment(as));
    return await getSignedUrl(this.#presigning, command, {
      expiresIn: expiresInSeconds,
      signingDate: this.#signingDate(),
    });
  }

  /**
   * Signs host, length and (where given) type. The checksum is hoisted into the signed query, so a
   * PUT needs no header that an HTTP client does not send by itself.
   */
  async presignPut(key: string, upload: PresignedUpload): Promise<string> {
    return await this.#signPut(this.#presigning, key, upload);
  }

  async #signPut(client: S3Client, key: string, upload: PresignedUpload): Promise<string> {
    const { contentType, sha256 } = upload;
    const command = new PutObjectCommand({
      Bucket: this.#bucket,
      Key: key,
      ContentLength: upload.contentLength,
      ...(contentType !== undefined && { ContentType: contentType }),
      ...(sha256 !== undefined && { ChecksumSHA256: base64OfHex(sha256) }),
    });
    return await getSignedUrl(client, command, {
      expiresIn: upload.expiresInSeconds,
      signingDate: this.#signingDate(),
      // The presigner leaves the type out unless told.
      ...(contentType !== undefined && { signableHeaders: new Set(['content-type']) }),
    });
  }

  /**
   * Where the bytes of a trial lie, others took the place of somebody's as well, perhaps, before the store
   * learnt to compare, or before its objects came here.
   */
  async comparesUploads(): Promise<boolean> {
    if ((await this.size(checksumTrialKey)) !== undefined) return false;
    const url = await this.#signPut(this.#oneAttempt, checksumTrialKey, checksumTrial);
    const limit = { clock: this.#clock, timeoutMs: requestMs };
    return await withDeadline(limit, (signal) => refusesOtherBytes(url, signal));
  }

  async hasBucket(): Promise<boolean> {
    const head = new HeadBucketCommand({ Bucket: this.#bucket });
    return (await orUndefined(() => this.#client.send(head))) !== undefined;
  }

  async ensureBucket(): Promise<void> {
    if (!(await this.hasBucket())) await named(() => this.#createBucket());
  }

  async probe(): Promise<void> {
    const head = new HeadBucketCommand({ Bucket: this.#bucket });
    await named(() => this.#oneAttempt.send(head, { requestTimeout: probeMs }));
    await this.#doubt.settle();
  }

  /** Two processes may start at once; the slower one finds its bucket made. */
  async #createBucket(): Promise<void> {
    try {
      await this.#client.send(new CreateBucketCommand({ Bucket: this.#bucket }));
    } catch (error) {
      await this.#client.send(new HeadBucketCommand({ Bucket: this.#bucket })).catch(() => {
        throw error;
      });
    }
  }

  async #uploadFile(key: string, path: string, promise: FilePromise): Promise<boolean> {
    await using file = await open(path, 'r');
    const { size } = await file.stat();
    const input = { ContentLength: size, ...promise };
    const timeoutMs = requestMs + size / uploadBytesPerMs;
    const stream = file.createReadStream({ autoClose: false });
    try {
      return await this.#write(this.#oneAttempt, key, { Body: stream, ...input }, timeoutMs);
    } finally {
      stream.destroy();
    }
  }

  async #write(
    client: S3Client,
    key: string,
    input: Omit<PutObjectCommandInput, 'Bucket' | 'Key'>,
    timeoutMs: number = requestMs,
  ): Promise<boolean> {
    const command = new PutObjectCommand({
      Bucket: this.#bucket,
      Key: key,
      ...input,
    });
    try {
      await client.send(command, { requestTimeout: timeoutMs });
      this.#doubt.taken(input);
      return true;
    } catch (error) {
      if (isTaken(error)) return false;
      const failure = failureOf(error);
      if (failure instanceof StorageUnavailable) this.#doubt.refused(input, error);
      throw failure;
    }
  }

  #read(key: string, how: Partial<GetObjectCommandInput> = {}): GetObjectCommand {
    return new GetObjectCommand({ Bucket: this.#bucket, Key: key, ...how });
  }

  #signingDate(): Date {
    return new Date(this.#clock.nowMs());
  }
}

function attachment({ contentType, fileName }: GivenOutAs) {
  if (!/^[\w.-]+$/.test(fileName)) throw new TypeError(`not a plain file name: ${fileName}`);
  const disposition = `attachment; filename="${fileName}"`;
  return { ResponseContentType: contentType, ResponseContentDisposition: disposition };
}

async function named<T>(operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    throw failureOf(error);
  }
}

async function orUndefined<T>(operation: () => Promise<T>): Promise<T | undefined> {
  return await named(async () => {
    try {
      return await operation();
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw error;
    }
  });
}

/** A store may die in the middle of an object, too. */
function withNamedFailure(body: Readable): Readable {
  const output = new PassThrough();
  body.once('error', (error) => {
    const failure = failureOf(error);
    output.destroy(failure instanceof Error ? failure : new Error(String(failure)));
  });
  output.once('close', () => body.destroy());
  return body.pipe(output);
}
