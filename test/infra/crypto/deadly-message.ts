/** Ends the thread of mortal-worker.ts that is asked to verify it. */
export const deadlyMessage = 'this message ends the thread';
