import type { LogFields, Logger, LogLevel } from '../ports/log.ts';
import { redact } from './redact.ts';
import { activeTraceId } from './telemetry.ts';

export interface LoggerOptions {
  /** The process, as the reader of many logs at once must know it. */
  readonly name: string;
  /** The least that is written. */
  readonly level: LogLevel;
  /** Takes one line with its newline; standard error in a process. */
  readonly write: (line: string) => void;
  readonly nowMs: () => number;
}

const severity: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

/** JSON lines: time, level, process, message, the trace they belong to, then the fields. */
export function createLogger(options: LoggerOptions): Logger {
  return loggerWith(options, {});
}

function loggerWith(options: LoggerOptions, always: LogFields): Logger {
  const at = (level: LogLevel) => {
    if (severity[level] < severity[options.level]) return () => undefined;
    return (message: string, fields: LogFields = {}) =>
      options.write(`${line(options, level, message, { ...always, ...fields })}\n`);
  };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    with: (fields) => loggerWith(options, { ...always, ...fields }),
  };
}

function line(options: LoggerOptions, level: LogLevel, message: string, fields: LogFields): string {
  const traceId = activeTraceId();
  const head = {
    time: new Date(options.nowMs()).toISOString(),
    level,
    process: options.name,
    message: redact(message),
    ...(traceId !== undefined && { trace_id: traceId }),
  };
  // The head last: a field may add to a line but not pretend to be its level or trace.
  return JSON.stringify({ ...head, ...asFields(redact(fields)), ...head });
}

function asFields(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}
