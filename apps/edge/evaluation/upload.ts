import { Fault } from '../../../machines/fault.ts';

export function requireWithin(contentLength: number, bytesMax: number): void {
  if (contentLength > bytesMax) {
    throw new Fault('FILE_TOO_LARGE', `an upload may have at most ${bytesMax} bytes`, {
      max_bytes: bytesMax,
    });
  }
}
