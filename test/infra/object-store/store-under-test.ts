import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { S3Client } from '@aws-sdk/client-s3';
import { sha256Hex } from '../../../infra/ids/ids.ts';
import type { EmbeddedObjectStoreOptions } from '../../../infra/object-store/embedded/embedded-store.ts';
import { startEmbeddedObjectStore } from '../../../infra/object-store/embedded/embedded-store.ts';
import type { S3StoreOptions } from '../../../infra/object-store/s3-options.ts';

export const credentials = {
  accessKeyId: 'paddock-test',
  secretAccessKey: 'a-secret-of-this-test-run-only',
};

export interface StoreUnderTest {
  readonly options: S3StoreOptions;
  stop(): Promise<void>;
}

/** The store that S3_TEST_ENDPOINT and its companions name, or else an embedded one. */
export async function storeUnderTest(): Promise<StoreUnderTest> {
  const { env } = process;
  const endpoint = env['S3_TEST_ENDPOINT'];
  if (endpoint === undefined) return await embeddedStore();
  const options = {
    endpoint,
    bucket: required('S3_TEST_BUCKET'),
    accessKeyId: required('S3_TEST_ACCESS_KEY_ID'),
    secretAccessKey: required('S3_TEST_SECRET_ACCESS_KEY'),
    region: env['S3_TEST_REGION'] ?? 'us-east-1',
  };
  return { options, stop: async () => {} };
}

export interface EmbeddedStoreUnderTest extends StoreUnderTest {
  readonly folder: string;
  /** Stops the server. */
  away(): Promise<void>;
  /** Stops the server, unless it is away, and starts it again on its folder and port. */
  restart(): Promise<void>;
}

export async function embeddedStore(
  changes: Partial<EmbeddedObjectStoreOptions> = {},
): Promise<EmbeddedStoreUnderTest> {
  const folder = await mkdtemp(join(tmpdir(), 'paddock-objects-'));
  const dataDir = join(folder, 'data');
  const start = (port: number) =>
    startEmbeddedObjectStore({ dataDir, port, fsync: false, ...credentials, ...changes });
  let server = await start(0);
  return {
    folder,
    options: { endpoint: server.endpoint, bucket: 'paddock-test', ...credentials },
    away: () => server.stop(),
    restart: async () => {
      await server.stop();
      server = await start(server.port);
    },
    stop: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The SDK as others use it: no setting of ours that reaches the wire. */
export function plainClient(options: S3StoreOptions, changes: object = {}): S3Client {
  const { endpoint, accessKeyId, secretAccessKey, region = 'us-east-1' } = options;
  return new S3Client({
    endpoint,
    region,
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle: true,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    ...changes,
  });
}

export function uploadOf(body: Uint8Array | string, contentType = 'application/octet-stream') {
  return { contentType, sha256: sha256Hex(body) };
}

export interface RawRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends the target as it is: no URL parser removes dots on the way. */
export function rawRequest(
  endpoint: string,
  target: string,
  { method = 'GET', headers = {}, body = '' }: RawRequest = {},
): Promise<{ readonly status: number; readonly text: string }> {
  const { hostname, port } = new URL(endpoint);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path: target, method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (piece: string) => {
        text += piece;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

export function targetOf(url: string, endpoint: string): string {
  return url.slice(endpoint.length);
}

function required(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
}
