import type { EncodedBody } from './call.ts';

const pieceBytes = 32 * 1024;

/** The same body with its length said before, in pieces that are told of as the connection takes them. */
export async function observed(
  { headers, body }: EncodedBody,
  onUpload: (sentBytes: number, totalBytes: number) => void,
): Promise<EncodedBody> {
  if (body === undefined) return { headers };
  const { blob, type } = await blobOf(body);
  const total = blob.size;
  return {
    headers: {
      ...headers,
      ...(type !== null && { 'content-type': type }),
      'content-length': `${total}`,
    },
    body: ReadableStream.from(pieces(blob, onUpload)) as NonNullable<RequestInit['body']>,
  };
}

/** A Blob may be a file that does not fit into memory; a form is small. */
async function blobOf(body: NonNullable<RequestInit['body']>) {
  if (body instanceof Blob) return { blob: body, type: null };
  const whole = new Response(body);
  return { blob: await whole.blob(), type: whole.headers.get('content-type') };
}

async function* pieces(blob: Blob, onUpload: (sent: number, total: number) => void) {
  for (let sent = 0; sent < blob.size; sent += pieceBytes) {
    const piece = await blob.slice(sent, sent + pieceBytes).bytes();
    yield piece;
    onUpload(Math.min(sent + pieceBytes, blob.size), blob.size);
  }
}
