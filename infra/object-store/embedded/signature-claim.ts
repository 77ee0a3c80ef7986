import { S3Error } from './s3-error.ts';
import type { S3Request } from './s3-request.ts';

/** What a request says about its own signature, in its Authorization header or in its query. */
export interface SignatureClaim {
  readonly accessKeyId: string;
  /** `date/region/s3/aws4_request`. */
  readonly scope: string;
  readonly scopeDate: string;
  readonly scopeRegion: string;
  /** `YYYYMMDDTHHMMSSZ`. */
  readonly amzDate: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  /** Hex digest, or one of S3's words for bodies that are not signed. */
  readonly payloadHash: string;
  /** Of presigned URLs. */
  readonly expiresInSeconds: number | undefined;
}

const algorithm = 'AWS4-HMAC-SHA256';
const authorizationPattern =
  /^AWS4-HMAC-SHA256 +Credential=([^,\s]+), *SignedHeaders=([^,\s]+), *Signature=([^,\s]+)$/;
/** A week, as S3 has it. */
const expiresInSecondsMax = 604_800;

export function readSignatureClaim(request: S3Request): SignatureClaim {
  const header = request.headers.authorization;
  const presigned = request.query.has('x-amz-algorithm') || request.query.has('x-amz-signature');
  if (header !== undefined && presigned) {
    throw new S3Error('InvalidArgument', 'Only one authentication mechanism is allowed.');
  }
  if (header !== undefined) return claimOfHeader(request, header);
  if (presigned) return claimOfQuery(request);
  throw new S3Error('AccessDenied', 'The request is not signed.');
}

function claimOfHeader(request: S3Request, header: string): SignatureClaim {
  const fields = authorizationPattern.exec(header);
  const payloadHash = request.headers['x-amz-content-sha256'];
  const amzDate = request.headers['x-amz-date'];
  if (fields === null || typeof payloadHash !== 'string' || typeof amzDate !== 'string') {
    throw new S3Error('AuthorizationHeaderMalformed', 'The authorization headers are malformed.');
  }
  const [, credential = '', signedHeaders = '', signature = ''] = fields;
  return {
    ...readCredential(credential, amzDate, 'AuthorizationHeaderMalformed'),
    amzDate,
    signedHeaders: signedHeaders.split(';'),
    signature,
    payloadHash,
    expiresInSeconds: undefined,
  };
}

function claimOfQuery(request: S3Request): SignatureClaim {
  const read = (name: string) => request.query.get(name)?.value ?? '';
  const expires = read('x-amz-expires');
  const expiresInSeconds = Number(expires);
  if (
    read('x-amz-algorithm') !== algorithm ||
    !/^[1-9]\d{0,5}$/.test(expires) ||
    expiresInSeconds > expiresInSecondsMax
  ) {
    throw new S3Error('AuthorizationQueryParametersError', 'The presigned query is malformed.');
  }
  const amzDate = read('x-amz-date');
  return {
    ...readCredential(read('x-amz-credential'), amzDate, 'AuthorizationQueryParametersError'),
    amzDate,
    signedHeaders: read('x-amz-signedheaders').split(';'),
    signature: read('x-amz-signature'),
    payloadHash: request.query.get('x-amz-content-sha256')?.value ?? 'UNSIGNED-PAYLOAD',
    expiresInSeconds,
  };
}

function readCredential(
  text: string,
  amzDate: string,
  code: 'AuthorizationHeaderMalformed' | 'AuthorizationQueryParametersError',
) {
  const [accessKeyId = '', scopeDate = '', scopeRegion = '', service, terminator, ...rest] =
    text.split('/');
  const known = service === 's3' && terminator === 'aws4_request' && rest.length === 0;
  if (!known || scopeDate === '' || scopeDate !== amzDate.slice(0, 8)) {
    throw new S3Error(code, 'The credential scope is malformed.');
  }
  const scope = `${scopeDate}/${scopeRegion}/s3/aws4_request`;
  return { accessKeyId, scope, scopeDate, scopeRegion };
}
