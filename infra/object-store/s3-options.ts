import type { S3ClientConfig } from '@aws-sdk/client-s3';
import type { Clock } from '../ports/clock.ts';

export interface S3StoreOptions {
  readonly endpoint: string;
  /** How clients reach the store, in presigned URLs; the same unless told. */
  readonly publicEndpoint?: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Stores of one region call it `us-east-1`. */
  readonly region?: string;
  /** This host's, whatever time the races have: stores compare signatures with the real one. */
  readonly clock?: Clock;
  /** How long it may say nothing in the middle of an answer: one that says a little is waited for. */
  readonly silenceMs?: number;
}

/** A request that has no answer by then is repeated, or given up. */
export const requestMs = 10_000;
/** Nobody waits longer for a probe. */
export const probeMs = 2_000;
/** A store may sync a large object to disk before it answers. */
const silenceMs = 30_000;

export function clientConfig(options: S3StoreOptions, attemptsMax: number): S3ClientConfig {
  return {
    endpoint: namedByAddress(options.endpoint),
    region: options.region ?? 'us-east-1',
    credentials: {
      accessKeyId: options.accessKeyId,
      secretAccessKey: options.secretAccessKey,
    },
    forcePathStyle: true,
    // Else the CRC of an empty body would be signed into URLs. Our own uploads carry a SHA-256.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    maxAttempts: attemptsMax,
    retryMode: 'standard',
    logger: quiet,
    requestHandler: {
      connectionTimeout: 2000,
      requestTimeout: requestMs,
      throwOnRequestTimeout: true,
      // Also within a body. From 6,000 on the client begins to watch three seconds after the request.
      socketTimeout: options.silenceMs ?? silenceMs,
    },
  };
}

/** Without one the client writes to the console; what fails is thrown, and that is logged. */
const quiet = { debug() {}, info() {}, warn() {}, error() {} };

/** Where presigned URLs lead. */
export function presignedEndpoint(options: S3StoreOptions): string {
  return namedByAddress(options.publicEndpoint ?? options.endpoint);
}

/** Deployed clients rewrite `localhost` wherever it stands in a URL. */
function namedByAddress(endpoint: string): string {
  const url = new URL(endpoint);
  if (url.hostname === 'localhost') url.hostname = '127.0.0.1';
  return url.href.replace(/\/$/, '');
}
