/** What a line says of itself. It wins over any field of that name, which would be lost. */
export type LogHead = 'level' | 'message' | 'process' | 'time' | 'trace_id';

/** Anything that is not the head. A field named `error` is written with its chain of causes. */
export type LogFields = Readonly<Record<string, unknown>> & {
  readonly [name in LogHead]?: never;
};

export type LogLevel = 'debug' | 'error' | 'info' | 'warn';

/** One line for each call. Fields whose names look like secrets are never written. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** The same logger with fields that every one of its lines carries. */
  with(fields: LogFields): Logger;
}
