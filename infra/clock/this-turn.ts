/** Calls it once, after all that the process has read by now was begun upon. */
export type Soon = (run: () => void) => void;

/** When this turn of the event loop has looked at every socket. */
export const afterThisTurn: Soon = (run) => void setImmediate(run);
