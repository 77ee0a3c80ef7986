/**
 * Whether a sandbox that does not work here is a defect of the machine rather than something to be told:
 * `.ci/run` says so where bubblewrap is installed. Else a run in which no agent was ever started would
 * look like one in which all of them were contained.
 */
export const needsSandbox = process.env['PADDOCK_NEEDS_SANDBOX'] === '1';
