import { timerMs } from './timer-ms.ts';

/**
 * Calls `onLate` if this process is still there after `ms`. Keeps nothing alive: a process that ends
 * in time never notices. For main files, which alone may end a process.
 */
export function unlessEndedWithin(ms: number, onLate: () => void): void {
  setTimeout(onLate, timerMs(ms)).unref();
}

/** Looks every `ms` until told to stop. Keeps nothing alive, and makes up for no look it missed. */
export function lookEvery(ms: number, look: () => void): () => void {
  const timer = setInterval(look, timerMs(ms)).unref();
  return () => clearInterval(timer);
}
