/** What a bucket holds, for who doubts it: only reads, and believes no checksum that the store kept. */
export interface ObjectInspector {
  /** Throws when the store cannot be used. */
  hasBucket(): Promise<boolean>;
  /** In bytes; undefined only where the store says that there is no such key. */
  size(key: string): Promise<number | undefined>;
  /** Reads all of it; undefined only where the store says that there is no such key. */
  digest(key: string): Promise<ObjectDigest | undefined>;
}

export interface ObjectDigest {
  readonly sizeBytes: number;
  /** 64 lower-case hex digits. */
  readonly sha256: string;
}
