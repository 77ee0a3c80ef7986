import type { InvariantId } from './checks/check.ts';

/** Of an invariant: its subject in few words, and where that is shown which no database can show. */
export interface Invariant {
  readonly id: InvariantId;
  readonly subject: string;
  readonly elsewhere?: string;
}

const chaos = 'npm run chaos';
const simulator = 'npm run sim';
const tests = 'npm test';

/** All fifty of the design, in its order. */
export const invariants: readonly Invariant[] = [
  { id: 'INV-01', subject: 'leases and successes within what work asks for' },
  { id: 'INV-02', subject: 'fences grow', elsewhere: 'after a restore: npm run proof:history' },
  { id: 'INV-03', subject: 'nothing after the end of a lease', elsewhere: `answers: ${chaos}` },
  { id: 'INV-04', subject: 'one terminal status', elsewhere: `equal repeats: ${chaos}` },
  { id: 'INV-05', subject: 'ends absorb' },
  { id: 'INV-06', subject: 'our silence is not theirs', elsewhere: `outages: ${chaos}` },
  { id: 'INV-07', subject: 'silent runs end in time', elsewhere: `to the second: ${simulator}` },
  { id: 'INV-08', subject: 'promised leases are kept', elsewhere: `heartbeats: ${chaos}` },
  { id: 'INV-09', subject: 'claims and their owners', elsewhere: `lost answers: ${chaos}` },
  { id: 'INV-10', subject: 'nobody gets the wrong work' },
  { id: 'INV-11', subject: 'work closes at its required successes' },
  { id: 'INV-12', subject: 'counts are the counted' },
  { id: 'INV-13', subject: 'eligible once', elsewhere: `the answer that says so: ${chaos}` },
  { id: 'INV-14', subject: 'scores are those of the included runs' },
  { id: 'INV-15', subject: 'run scores are those of the rewards' },
  { id: 'INV-16', subject: 'no success without a score', elsewhere: `the refusal: ${tests}` },
  { id: 'INV-17', subject: 'no result is lost', elsewhere: `acknowledged ones: ${chaos}` },
  { id: 'INV-18', subject: 'one result of each task', elsewhere: `answers: ${chaos}` },
  { id: 'INV-19', subject: 'batches answer item by item', elsewhere: chaos },
  { id: 'INV-20', subject: 'results are of the run’s own tasks', elsewhere: `answers: ${chaos}` },
  { id: 'INV-21', subject: 'result counts', elsewhere: `never back for a client: ${simulator}` },
  { id: 'INV-22', subject: 'the cooldown between submissions' },
  { id: 'INV-23', subject: 'a submission is a version and its work' },
  {
    id: 'INV-24',
    subject: 'code stays what was uploaded',
    elsewhere: 'the files: npm run verify -- --objects --hash',
  },
  {
    id: 'INV-25',
    subject: 'nothing is released early, and code on its day',
    elsewhere: 'downloads: npm run test:hostile',
  },
  { id: 'INV-26', subject: 'one race a day, at noon' },
  { id: 'INV-27', subject: 'the field follows from the pins', elsewhere: `answers: ${simulator}` },
  { id: 'INV-28', subject: 'everything counts for one race' },
  { id: 'INV-29', subject: 'the field is fixed at the close' },
  { id: 'INV-30', subject: 'races end' },
  { id: 'INV-31', subject: 'one top, by the margin' },
  { id: 'INV-32', subject: 'one decision for each race' },
  { id: 'INV-33', subject: 'emissions sum to 10^18' },
  {
    id: 'INV-34',
    subject: 'standings, one for each epoch, follow from the races',
    elsewhere: `answers: ${chaos}`,
  },
  {
    id: 'INV-35',
    subject: 'epochs go forward',
    // They are made when somebody asks, so their age shows nothing.
    elsewhere: `for each client: ${chaos}; that the chain goes on: GET /health/deep of every edge`,
  },
  { id: 'INV-36', subject: 'finishers in a total order' },
  { id: 'INV-37', subject: 'nonces once', elsewhere: 'replays: npm run test:hostile' },
  { id: 'INV-38', subject: 'challenges once', elsewhere: 'npm run test:hostile' },
  { id: 'INV-39', subject: 'nothing after a ban', elsewhere: `requests, on any edge: ${tests}` },
  {
    id: 'INV-40',
    subject: 'nothing after a deregistration',
    elsewhere: `requests: ${tests}`,
  },
  { id: 'INV-41', subject: 'tokens are kept as hashes' },
  { id: 'INV-42', subject: 'no secret anywhere', elsewhere: 'npm run proof:secrets' },
  { id: 'INV-43', subject: 'sealed texts', elsewhere: 'who can open them: npm run proof:secrets' },
  { id: 'INV-44', subject: 'the audit log' },
  { id: 'INV-45', subject: 'every door is closed', elsewhere: 'npm run test:hostile' },
  {
    id: 'INV-46',
    subject: 'nothing happens twice',
    elsewhere: `messages that come again, and a replay of the whole stream: ${simulator}`,
  },
  { id: 'INV-47', subject: 'nothing is stuck' },
  { id: 'INV-48', subject: 'owners succeed each other' },
  { id: 'INV-49', subject: 'snapshots are the fold of events' },
  {
    id: 'INV-50',
    subject: 'what is told stays told',
    elsewhere: `runs and versions, over any edge: ${simulator}`,
  },
];
