import { xmlElement } from './xml.ts';

/** The part of S3's error table that this server speaks. */
const statusByCode = {
  AccessDenied: 403,
  AuthorizationHeaderMalformed: 400,
  AuthorizationQueryParametersError: 400,
  BadDigest: 400,
  BucketAlreadyOwnedByYou: 409,
  EntityTooLarge: 400,
  IncompleteBody: 400,
  InternalError: 500,
  InvalidAccessKeyId: 403,
  InvalidArgument: 400,
  InvalidBucketName: 400,
  InvalidDigest: 400,
  InvalidRange: 416,
  InvalidRequest: 400,
  InvalidURI: 400,
  KeyTooLongError: 400,
  MethodNotAllowed: 405,
  MissingContentLength: 411,
  NoSuchBucket: 404,
  NoSuchKey: 404,
  NotImplemented: 501,
  PreconditionFailed: 412,
  RequestTimeTooSkewed: 403,
  SignatureDoesNotMatch: 403,
  XAmzContentSHA256Mismatch: 400,
} as const;

export type S3ErrorCode = keyof typeof statusByCode;

/** A refusal that the client is meant to read. Any other error is answered as InternalError. */
export class S3Error extends Error {
  override name = 'S3Error';
  readonly code: S3ErrorCode;

  constructor(code: S3ErrorCode, message: string) {
    super(message);
    this.code = code;
  }

  get status(): number {
    return statusByCode[this.code];
  }

  toXml(resource: string, requestId: string): string {
    return xmlElement('Error', [
      xmlElement('Code', this.code),
      xmlElement('Message', this.message),
      xmlElement('Resource', resource),
      xmlElement('RequestId', requestId),
    ]);
  }
}
