import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ask, Refused } from './api.ts';
import { after, every, nowMs } from './clock.ts';
import {
  type Known,
  learned,
  nothingKnown,
  type Outcome,
  type Shown,
  shownFor,
} from './known-answer.ts';
import { liveFeed, type PublicEvent } from './live.ts';
import { keptMs, mayBeKept } from './shared-caches.ts';

/** What a page knows of an answer: an earlier value stays while it is asked again. */
export interface Answer<T> extends Shown<T> {
  readonly isLoading: boolean;
  readonly reload: () => void;
}

export interface Following {
  /** Which events change the answer; none unless told. */
  readonly on?: (event: PublicEvent) => boolean;
  readonly token?: string | undefined;
  /** Asked again this often besides; for what no event tells of. */
  readonly everyMs?: number;
}

/** However many events come: a stranger's address has a hundred requests a minute. */
const pauseMs = 4_000;
const retryMs = 5_000;
/** While there is no feed nothing else tells of changes. */
const blindMs = 30_000;

/** Asks for a path, and again when an event says that the answer has changed; undefined asks nothing. */
export function useAnswer<T>(path: string | undefined, following: Following = {}): Answer<T> {
  const [known, setKnown] = useState<Known<T>>(nothingKnown);
  const [isLoading, setLoading] = useState(path !== undefined);
  const [round, setRound] = useState(0);
  // An answer that takes longer than events are apart is waited for, or none would ever come.
  const question = useRef({ isOut: false, isDueAgain: false });
  const reload = useCallback(() => {
    if (question.current.isOut) question.current.isDueAgain = true;
    else setRound((before) => before + 1);
  }, []);
  const isCopy = useRef(false);
  const { token } = following;
  useEffect(() => {
    if (path === undefined) return;
    const gone = new AbortController();
    let cancelRetry: () => void = () => undefined;
    const own = { isOut: true, isDueAgain: false };
    question.current = own;
    setLoading(true);
    const settle = (outcome: Outcome<T>) => {
      if (gone.signal.aborted) return;
      own.isOut = false;
      setKnown((before) => learned(before, path, outcome));
      setLoading(false);
      const failure = 'failure' in outcome ? outcome.failure : undefined;
      if (failure?.isTemporary !== true) {
        if (own.isDueAgain) reload();
        return;
      }
      const seconds = failure.retryAfterSeconds;
      cancelRetry = after(seconds === undefined ? retryMs : seconds * 1000, reload);
    };
    const onHeaders = (headers: Headers) => {
      isCopy.current = mayBeKept(headers);
    };
    ask<T>(path, { token, signal: gone.signal, onHeaders }).then(
      (told) => settle({ value: told }),
      (error: unknown) => settle({ failure: asRefused(error) }),
    );
    return () => {
      own.isOut = false;
      gone.abort();
      cancelRetry();
    };
  }, [path, token, round, reload]);
  useChanges(path, following, reload, isCopy);
  return { ...shownFor(known, path), isLoading, reload };
}

function useChanges(
  path: string | undefined,
  following: Following,
  reload: () => void,
  isCopy: { readonly current: boolean },
): void {
  const latest = useRef(following);
  latest.current = following;
  const { everyMs } = following;
  useEffect(() => {
    if (path === undefined) return;
    let lastMs = nowMs();
    let cancel: (() => void) | undefined;
    let cancelRepeat = () => {};
    let cancelLook = () => {};
    const reloadSoon = () => {
      if (cancel !== undefined) return;
      const waitMs = Math.max(250, lastMs + pauseMs - nowMs());
      cancel = after(waitMs, () => {
        cancel = undefined;
        lastMs = nowMs();
        reload();
        // A cache between may have answered with what it had before the event: once more when it cannot.
        cancelRepeat();
        cancelRepeat = after(keptMs, () => {
          if (isCopy.current) cancelRepeat = whenSeen(reload);
        });
      });
    };
    const hear = (event: PublicEvent) => {
      if (latest.current.on?.(event) === true) reloadSoon();
    };
    const ends = [
      liveFeed.listen(hear),
      liveFeed.listenForGaps(() => latest.current.on !== undefined && reloadSoon()),
      every(blindMs, () => {
        cancelLook();
        if (liveFeed.connection !== 'live') cancelLook = whenSeen(reload);
      }),
      () => cancel?.(),
      () => cancelRepeat(),
      () => cancelLook(),
    ];
    return () => {
      for (const end of ends) end();
    };
  }, [path, reload]);
  // By itself: the clock may begin or end while an event's question is still to be asked.
  useEffect(() => {
    if (path === undefined || everyMs === undefined) return;
    return every(everyMs, () => document.hidden || reload());
  }, [path, everyMs, reload]);
}

/** At once where the page is visible, else as soon as it is; the answer takes it back. */
function whenSeen(call: () => void): () => void {
  const look = () => {
    if (document.hidden) return;
    document.removeEventListener('visibilitychange', look);
    call();
  };
  document.addEventListener('visibilitychange', look);
  look();
  return () => document.removeEventListener('visibilitychange', look);
}

function asRefused(error: unknown): Refused {
  if (error instanceof Refused) return error;
  return new Refused({ status: 0, code: 'UNREADABLE', detail: 'The answer could not be read.' });
}
