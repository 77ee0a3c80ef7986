import type { Exchange, S3Response } from './exchange.ts';
import { listObjects } from './list-objects.ts';
import { putObject } from './put-object.ts';
import { readObject } from './read-object.ts';
import { S3Error } from './s3-error.ts';

/** S3's rule, which leaves no room for a path. */
const bucketPattern = /^(?!.*\.\.)[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

type Operation = (exchange: Exchange) => Promise<S3Response>;

const onObject: Readonly<Record<string, Operation>> = {
  GET: readObject,
  HEAD: readObject,
  PUT: putObject,
  DELETE: deleteObject,
};
const onBucket: Readonly<Record<string, Operation>> = {
  GET: listObjects,
  HEAD: async () => ({ status: 200 }),
};

/** Does what an authorised request asks for. */
export async function perform(exchange: Exchange): Promise<S3Response> {
  const { method, bucket, key } = exchange.request;
  if (bucket === '') throw new S3Error('NotImplemented', 'There is no list of buckets.');
  if (!bucketPattern.test(bucket)) {
    throw new S3Error('InvalidBucketName', 'The bucket name is not valid.');
  }
  if (key === '' && method === 'PUT') return await createBucket(exchange);
  if (!(await exchange.files.hasBucket(bucket))) {
    throw new S3Error('NoSuchBucket', 'The bucket does not exist.');
  }
  const operation = (key === '' ? onBucket : onObject)[method];
  if (operation === undefined) throw new S3Error('MethodNotAllowed', `${method} is not allowed.`);
  return await operation(exchange);
}

async function createBucket({ request, files }: Exchange): Promise<S3Response> {
  if (await files.createBucket(request.bucket)) {
    return { status: 200, headers: { location: `/${request.bucket}` } };
  }
  throw new S3Error('BucketAlreadyOwnedByYou', 'The bucket exists.');
}

async function deleteObject({ request, files }: Exchange): Promise<S3Response> {
  await files.remove(request.bucket, request.key);
  return { status: 204 };
}
