import type { Readable } from 'node:stream';

/** One bucket of an S3 store. Keys are `/`-separated paths; see the adapter for the layout. */
export interface ObjectStore {
  /** Stores bytes once: the same key again with any bytes is a no-op that answers `false`. */
  putOnce(key: string, body: Uint8Array, options: PutOptions): Promise<boolean>;
  /** The same for a file on disk, streamed. */
  putFileOnce(key: string, path: string, options: PutOptions): Promise<boolean>;
  /** Replaces what is there, all at once: for keys that name what they hold by its hash. */
  put(key: string, body: Uint8Array, options: PutOptions): Promise<void>;
  /** The same with a file on disk, streamed. */
  putFile(key: string, path: string, options: PutOptions): Promise<void>;
  /** The same with what another key holds, by a file below `scratch`; undefined when that holds nothing. */
  copyOnce(source: string, target: string, scratch: string): Promise<boolean | undefined>;
  /** Undefined when there is no such key. */
  get(key: string): Promise<Uint8Array | undefined>;
  getStream(key: string): Promise<Readable | undefined>;
  /** Size in bytes, or undefined when there is no such key. */
  size(key: string): Promise<number | undefined>;
  /**
   * Whether the key holds so many bytes and, where the store kept their hash, these. It is not read:
   * what changed on the store's own disk since is not seen.
   */
  holds(key: string, expected: Content): Promise<boolean>;
  /** Answered with the type it was stored with, or as the file that it is given out as. */
  presignGet(key: string, expiresInSeconds: number, as?: GivenOutAs): Promise<string>;
  /**
   * A URL that a plain PUT of these bytes (length, sha256, type) satisfies, as often as it is sent. One
   * without a sha256 replaces what is there by other bytes of the length, until it expires; so does one
   * with it, unless the store compares uploads.
   */
  presignPut(key: string, upload: PresignedUpload): Promise<string>;
  /**
   * Whether a PUT by a URL with a sha256 is refused when its bytes have another, by a trial; `false` for
   * good once it was not. Throws when the store says neither.
   */
  comparesUploads(): Promise<boolean>;
  /** Throws when the store cannot be used. */
  hasBucket(): Promise<boolean>;
  /** Creates the bucket when it is absent; throws when the store cannot be used. */
  ensureBucket(): Promise<void>;
  /** One cheap round trip, and more while it is in doubt whether files are taken; throws when it is down. */
  probe(): Promise<void>;
}

export interface PutOptions {
  readonly contentType: string;
  /** 64 lower-case hex digits; verified by the store. */
  readonly sha256: string;
}

export interface Content {
  /** 64 lower-case hex digits. */
  readonly sha256: string;
  readonly sizeBytes: number;
}

/**
 * What others uploaded is nothing that a browser shows, whatever they called it: a page of theirs would run
 * with the rights of the store's origin.
 */
export interface GivenOutAs {
  readonly contentType: string;
  /** Of letters, digits, `.`, `_` and `-`. */
  readonly fileName: string;
}

export interface PresignedUpload {
  readonly contentLength: number;
  readonly contentType?: string;
  /** 64 lower-case hex digits; absent where the caller cannot know it (log uploads). */
  readonly sha256?: string;
  readonly expiresInSeconds: number;
}
