/**
 * Everything long-lived is a Service. `stop` may be called twice, and before `start`; it resolves
 * when nothing of the service runs any more. `stopped` settles when the service ended by itself:
 * with an error when it cannot go on, which ends the process.
 */
export interface Service {
  start(): Promise<void>;
  stop(): Promise<void>;
  readonly stopped?: Promise<void>;
}
