import type { ComponentChildren } from 'preact';
import type { Refused } from '../api.ts';
import type { Answer } from '../use-answer.ts';

/** Every page of data is loading, failed, or there; an earlier answer stays, and is told as such, while a new one is fetched. */
export function Loaded<T>({
  answer,
  what,
  children,
}: {
  readonly answer: Answer<T>;
  /** As in "Loading the leaderboard". */
  readonly what: string;
  readonly children: (value: T) => ComponentChildren;
}) {
  const { value, failure, isLoading, isEarlier, reload } = answer;
  if (value === undefined) {
    if (failure !== undefined) {
      return <Failure failure={failure} what={what} onRetry={reload} isAskedAgain />;
    }
    return <Loading what={what} />;
  }
  return (
    <div aria-busy={isLoading} class={isEarlier ? 'earlier' : undefined}>
      {isEarlier && (
        <p class="meanwhile" role="status">
          Loading {what} …
        </p>
      )}
      {failure !== undefined && (
        <p class="notice warn" role="status">
          This could not be refreshed ({failure.message}) and may be out of date.
        </p>
      )}
      {children(value)}
    </div>
  );
}

/**
 * Whether each is there or has failed. What stands below an answer is drawn once it has settled: all are
 * asked for at the same time, and nobody's line is pushed away while it is read.
 */
export function isSettled(...answers: readonly Answer<unknown>[]): boolean {
  return answers.every(({ value, failure }) => value !== undefined || failure !== undefined);
}

export function Loading({ what }: { readonly what: string }) {
  return (
    <div class="loading">
      <p role="status">Loading {what} …</p>
      <div class="skeleton" aria-hidden="true">
        <span />
        <span />
        <span />
      </div>
    </div>
  );
}

export function Failure({
  failure,
  what,
  onRetry,
  isAskedAgain = false,
}: {
  readonly failure: Refused;
  readonly what: string;
  readonly onRetry?: () => void;
  /** By itself, where it may be answered later; an order is given by nobody but its reader. */
  readonly isAskedAgain?: boolean;
}) {
  return (
    <div class="notice bad" role="alert">
      <p>
        <strong>{titleOf(failure, what)}</strong>
      </p>
      <p>{failure.message}</p>
      <p class="muted">
        {failure.code}
        {isAskedAgain &&
          failure.isTemporary &&
          `. It is asked again by itself${laterText(failure)}.`}
      </p>
      {onRetry !== undefined && (
        <button type="button" onClick={onRetry}>
          Try again now
        </button>
      )}
    </div>
  );
}

function laterText({ retryAfterSeconds: seconds }: Refused): string {
  return seconds === undefined ? '' : ` in ${seconds} s`;
}

function titleOf({ status }: Refused, what: string): string {
  if (status === 404) return 'There is nothing at this address.';
  if (status === 401 || status === 403) return 'This is not open to you.';
  if (status === 429) return 'Too many requests came from your address.';
  return `Could not load ${what}.`;
}

export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}
