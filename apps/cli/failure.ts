import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { ForeignAnswer } from './client/foreign-answer.ts';
import { codeOfConnection, Refusal, Unanswered } from './client/refusal.ts';
import { type ExitCode, exitCodes } from './exit-code.ts';
import { Interrupted } from './keys/ask.ts';
import { KeyUnusable } from './keys/key-unusable.ts';
import { WrongPassword } from './keys/wrong-password.ts';
import { NotSignedIn } from './session/proofs.ts';
import { durationText } from './show/moments.ts';
import { plainText } from './show/plain-text.ts';
import { toldOnce } from './told-once.ts';
import { UsageError } from './usage-error.ts';

/** Something that a command found to be so, and that its exit code tells. */
export class Failed extends Error {
  override name = 'Failed';
  readonly exitCode: ExitCode;
  readonly advice: string | undefined;
  /** What programs go by, of the failure that it tells of. */
  readonly of: Partial<Failure>;

  constructor(message: string, exitCode: ExitCode, advice?: string, of: Partial<Failure> = {}) {
    super(message);
    this.exitCode = exitCode;
    this.advice = advice;
    this.of = of;
  }
}

/** What went wrong, for people and for programs. */
export interface Failure {
  readonly exitCode: ExitCode;
  /** The code of the service, or a word for what never reached it. */
  readonly code: string;
  readonly message: string;
  readonly advice?: string | undefined;
  readonly status?: number;
  readonly retryAfterSeconds?: number | undefined;
  readonly requestId?: string | undefined;
  /** What the service answered, as it is: findings of a file, or fields that are wrong. */
  readonly answer?: unknown;
  /** Of an order that may have been carried out: repeated under it, it is carried out once. */
  readonly idempotencyKey?: string | undefined;
}

export function failureOf(error: unknown): Failure {
  if (error instanceof Refusal) return refused(error);
  if (error instanceof ForeignAnswer) return foreign(error);
  if (error instanceof Unanswered) return unanswered(error);
  if (error instanceof Failed) {
    const { exitCode, message, advice, of } = error;
    return { code: 'FAILED', ...of, exitCode, message, advice };
  }
  if (error instanceof UsageError) {
    return { exitCode: exitCodes.usage, code: 'USAGE', message: error.message };
  }
  if (error instanceof NotSignedIn) {
    const { message, advice } = error;
    return { exitCode: exitCodes.notSignedIn, code: 'NOT_SIGNED_IN', message, advice };
  }
  if (error instanceof KeyUnusable || error instanceof WrongPassword) {
    return { exitCode: exitCodes.refused, code: 'KEY_UNUSABLE', message: error.message };
  }
  if (error instanceof Interrupted) return interrupted(error.message);
  if (isInterruption(error)) return interrupted('interrupted');
  if (isFileError(error)) {
    const exitCode = error.code === 'ENOENT' ? exitCodes.notFound : exitCodes.refused;
    return { exitCode, code: error.code, message: fileText(error) };
  }
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { exitCode: exitCodes.defect, code: 'DEFECT', message };
}

/** Ctrl-C during a request: only the signal of the desk ends one so. */
export function isInterruption(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

function interrupted(message: string): Failure {
  return { exitCode: exitCodes.interrupted, code: 'INTERRUPTED', message };
}

function refused(error: Refusal): Failure {
  const { status, code, retryAfterSeconds, requestId } = error;
  const detail = waitText(error) ?? detailText(error.body);
  const told =
    detail === undefined
      ? { message: `${status} ${code}`, advice: pauseOf(error) ?? laterAdvice(error) }
      : toldOnce(code, detail, pauseOf(error));
  return {
    ...{ exitCode: exitCodeOf(error), code, message: plainText(told.message), advice: told.advice },
    ...{ status, retryAfterSeconds, requestId, answer: error.body },
  };
}

/** Of a cooldown: the service says it in seconds, which are many. */
function waitText({ code, body }: Refusal): string | undefined {
  const seconds: unknown = Reflect.get(Object(body), 'remaining_seconds');
  if (code !== 'COOLDOWN_ACTIVE' || typeof seconds !== 'number') return undefined;
  return `your cooldown is not over: you may submit again in ${durationText(seconds * 1000)}`;
}

function exitCodeOf({ status, code }: Refusal): ExitCode {
  if (status === 401 || code === 'BANNED') return exitCodes.notSignedIn;
  if (status === 404) return exitCodes.notFound;
  // A seal is lifted at its time; that of a race that was cancelled never is, as the detail says.
  if (code === 'RACE_IN_FLIGHT') return exitCodes.later;
  return status === 429 || status >= 500 ? exitCodes.later : exitCodes.refused;
}

function pauseOf({ status, retryAfterSeconds }: Refusal): string | undefined {
  if (retryAfterSeconds === undefined || (status !== 429 && status < 500)) return undefined;
  return `Try again in ${durationText(retryAfterSeconds * 1000)}.`;
}

/** Of what answers in the service's place, and says nothing that anybody could use. */
function laterAdvice({ status }: Refusal): string | undefined {
  return status === 429 || status >= 500 ? 'Try again in a moment.' : undefined;
}

/**
 * As the service says it, of both forms of an error: a text, or a list of fields. Undefined for what is no
 * refusal of ours.
 */
export function detailText(body: unknown): string | undefined {
  const detail: unknown = Reflect.get(Object(body), 'detail');
  if (typeof detail === 'string') return detail;
  if (!Array.isArray(detail)) return undefined;
  const fields = detail.map((each) => {
    const { loc = [], msg = '' } = Object(each) as { loc?: unknown[]; msg?: unknown };
    return `${loc.slice(1).join('.') || loc.join('.')}: ${String(msg)}`;
  });
  return fields.join('; ');
}

function unanswered(error: Unanswered): Failure {
  const code = codeOfConnection(error);
  const why = code === undefined ? '' : ` (${code})`;
  const where = /^\w+ (\S+):/.exec(error.message)?.[1];
  const base = URL.parse(where ?? '')?.origin ?? 'the service';
  return {
    ...{ exitCode: exitCodes.later, code: 'UNANSWERED' },
    message: `${base} does not answer${why}`,
    advice: isElsewhere(code)
      ? 'Check the address: --url BASE or PADDOCK_URL names another service.'
      : 'It may be busy or starting: try again in a moment.',
  };
}

/** What is in the service's place seldom says what it is; who asked may know. */
function foreign({ baseUrl, says, movedTo }: ForeignAnswer): Failure {
  return {
    ...{ exitCode: exitCodes.later, code: 'UNANSWERED' },
    message: plainText(`${baseUrl} ${says}`),
    advice:
      movedTo === undefined
        ? 'A proxy, or a network that wants you to sign in, may have said so: try again in a moment, or name another service with --url BASE or PADDOCK_URL.'
        : `Name that address, if you trust it: --url ${movedTo} or PADDOCK_URL.`,
  };
}

/** Nobody listens there, or there is no such place; all else may be a service that is slow or was cut off. */
function isElsewhere(code: string | undefined): boolean {
  return code !== undefined && !['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(code);
}

function isFileError(error: unknown): error is NodeJS.ErrnoException & { readonly code: string } {
  return (
    error instanceof Error && 'syscall' in error && typeof Reflect.get(error, 'code') === 'string'
  );
}

function fileText({ code, path = 'a file' }: NodeJS.ErrnoException): string {
  const known: Readonly<Record<string, string>> = {
    ENOENT: existsSync(dirname(path)) ? 'there is no such file' : 'there is no such folder',
    EACCES: 'you may not open it',
    EISDIR: 'it is a folder',
    EEXIST: 'it is there already',
  };
  return `${path}: ${known[code ?? ''] ?? code}`;
}
