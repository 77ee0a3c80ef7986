import type { Fingerprints } from '../../machines/submission/fingerprints.ts';

/** `unreadable`: the file is at fault, and would be again. */
export type FingerprintedCode =
  | { readonly kind: 'read'; readonly fingerprints: Fingerprints }
  | { readonly kind: 'unreadable'; readonly reason: string };

export interface CodeFingerprinter {
  /** One file at a time. The file is only read, never imported or run. Throws where we are at fault. */
  read(file: Uint8Array): Promise<FingerprintedCode>;
  /** Gives back what reading holds; the next file takes it again. */
  rest(): Promise<void>;
}
