/** The one place of the pages that reads a clock or sets a timer. */
export function nowMs(): number {
  return Date.now();
}

/** Calls once, later; the answer takes it back. */
export function after(ms: number, call: () => void): () => void {
  const timer = setTimeout(call, ms);
  return () => clearTimeout(timer);
}

/** Calls again and again; the answer ends it. */
export function every(ms: number, call: () => void): () => void {
  const timer = setInterval(call, ms);
  return () => clearInterval(timer);
}
