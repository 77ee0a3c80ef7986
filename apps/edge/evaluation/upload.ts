import { refusal } from '../../../machines/refusal.ts';

export function requireWithin(contentLength: number, bytesMax: number): void {
  if (contentLength > bytesMax) {
    throw refusal('FILE_TOO_LARGE', {
      says: `An upload may have at most ${bytesMax} bytes, and content_length is ${contentLength}.`,
      extras: {
        max_bytes: bytesMax,
      },
    });
  }
}
