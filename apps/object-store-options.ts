import type { Config } from '../infra/config/config.ts';
import type { S3StoreOptions } from '../infra/object-store/s3-options.ts';

/** The object store that the configuration names. */
export function objectStoreOptions(config: Config): S3StoreOptions {
  return {
    endpoint: config.s3Endpoint,
    ...(config.s3PublicEndpoint !== undefined && { publicEndpoint: config.s3PublicEndpoint }),
    bucket: config.s3Bucket,
    accessKeyId: config.s3AccessKeyId,
    secretAccessKey: config.s3SecretAccessKey,
  };
}
