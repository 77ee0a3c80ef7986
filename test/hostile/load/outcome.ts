import type { HostileRequest } from '../hostile-request.ts';

export interface NumberedRequest extends HostileRequest {
  /** Of the request within its seed. */
  readonly id: number;
  readonly category: string;
}

/** What came back: no status where the connection ended without an answer. */
export interface Outcome {
  /** Of every answer that one lone connection brought. */
  readonly statuses: readonly number[];
  /** Of the last one. */
  readonly body: Buffer;
}
