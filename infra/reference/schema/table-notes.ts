/** Who decides what a table holds, where that is no service with a store of its own. */
export const writers = {
  evaluations: 'the partitions of evaluations (`actors/lease-manager`)',
  races: 'the partitions of races (`actors/race-coordinator`)',
  emissions: 'the partition of emissions (`actors/emission-calculator`)',
  runtime: 'the runtime of coordinators (`actors/runtime`)',
  clock: 'the simulated clock (`actors/services/clock`)',
  pins: 'a trigger of `race_pin`, in the transaction of the one who writes that',
  boards: 'triggers of the tables that boards show, in the transaction of the one who writes those',
  migrations: 'the migrations (`infra/postgres/migrate.ts`)',
} as const;

export interface TableNote {
  readonly holds: string;
  /** None for a table of a service, whose store lists it, and for a view, which nobody writes. */
  readonly writer?: keyof typeof writers;
}

/** One sentence for every table and view. Whoever adds one says what it holds. */
export const tableNotes: Readonly<Record<string, TableNote>> = {
  agent: { writer: 'evaluations', holds: 'A name under which a miner submits versions.' },
  agent_version: {
    writer: 'evaluations',
    holds: 'One accepted submission: where it stands, its scores, and how its runs went so far.',
  },
  'audit.audit_log': { holds: 'The audit log without the words that operators wrote.' },
  'audit.emissions': { holds: 'Who got which part of the split of each race.' },
  'audit.episode_results': { holds: 'What each task of a run came to, and what it was paid.' },
  'audit.epoch_standings': { holds: 'The hash of the standings of each epoch.' },
  'audit.nonces': { holds: 'Used nonces of signed requests.' },
  'audit.outbox_pending': { holds: 'How much nobody has proved to have consumed, and since when.' },
  'audit.partitions': { holds: 'Who owns each partition, and in which epoch.' },
  'audit.pins': { holds: 'Every pin and unpin.' },
  'audit.race_qualifiers': { holds: 'The entrants of each race with their scores and ranks.' },
  'audit.races': { holds: 'Each race, its day, its status and when it took each step.' },
  'audit.run_events': {
    holds: 'The events of each run, with its fence and the epoch of its owner.',
  },
  'audit.runs': {
    holds: 'Every evaluation run; its lease as the latest flush of heartbeats has it.',
  },
  'audit.submissions': {
    holds: 'Accepted submissions, with the reason if they were discarded since, and rejected ones.',
  },
  'audit.tops': { holds: 'Every reign, and by what Overall and margin it began.' },
  'audit.work_items': { holds: 'Every work item and how many of its successes count.' },
  audit_log: { holds: 'What operators ordered, as a chain of hashes that only grows.' },
  carried_out: {
    holds: 'Which orders of miners were carried out, for an hour, so that none is a second time.',
  },
  challenge: { holds: 'Texts to be signed by whoever signs in, as hashes, until they expire.' },
  episode_artifact: { writer: 'evaluations', holds: 'Artifacts that were uploaded for a run.' },
  episode_result: {
    writer: 'evaluations',
    holds: 'The result of one task of a run; rewards are integers of 10⁻⁶.',
  },
  epoch_standings: {
    writer: 'emissions',
    holds: 'One immutable snapshot per epoch of the chain, served byte for byte.',
  },
  evaluation_run: {
    writer: 'evaluations',
    holds: 'One attempt of a validator: its fence, its lease, how it ended and whether it counts.',
  },
  hotkey_ban: { holds: 'Who is banned now, and why.' },
  idempotency: {
    holds: 'First answers to operators’ orders under an Idempotency-Key, for 24 hours.',
  },
  inference_check: {
    holds:
      'Which credentials were shown to their provider and are wanted, as hashes: where it gave another in their ' +
      'place, for as long as that is stored, and else for a day.',
  },
  inference_credential: {
    holds: 'What a miner pays a provider of language models with, sealed; one per provider.',
  },
  inference_default: { holds: 'The provider that a miner prefers.' },
  inference_key: {
    holds: 'A key of the provider’s own, lent for one run, until it is known to be revoked.',
  },
  inference_overtaken_check: {
    holds:
      'Which credentials were shown to their provider that their miner disconnected or replaced since, as hashes, ' +
      'for a day.',
  },
  inference_past_credential: {
    holds: 'Credentials that were replaced, kept while keys that were lent from them are open.',
  },
  inference_request: {
    holds: 'Which requests are counted, so that a repeat is not counted again.',
  },
  inference_snapshot: { holds: 'The last good look at the models of each provider.' },
  inference_token: { holds: 'The token that a claim hands out; it works while its run is live.' },
  inference_usage: { holds: 'What a run used of each model, summed up.' },
  miner: {
    writer: 'evaluations',
    holds: 'A hotkey that has submitted: its cooldown, and the end of its work in the queue.',
  },
  nonce: { holds: 'Nonces of signed requests; the primary key refuses the second use.' },
  pack: { holds: 'Environment packs that operators have registered.' },
  pack_delivery: { holds: 'Parts of packs that were built for validators, by the tasks in them.' },
  pack_task: { holds: 'The tasks in each pack.' },
  problem_progress: {
    writer: 'evaluations',
    holds: 'How far a run is with each problem of a legacy benchmark.',
  },
  public_event: { holds: 'The feed of public events, in order and without gaps.' },
  public_release: {
    holds: 'What the public is told later: the code of a version, how the runs of a race ended.',
  },
  race: {
    writer: 'races',
    holds:
      'Each race with its policy, its steps, its winner, its figures and the runs whose fault did not count.',
  },
  race_bundle: { holds: 'Where the signed bundle of a race lies in the object store.' },
  race_emission: {
    writer: 'races',
    holds: 'The split of each race; the units of one race sum to exactly 10¹⁸.',
  },
  race_entrant: {
    writer: 'races',
    holds: 'The field, fixed at the close; the score columns are written at the completion.',
  },
  race_fallback: { writer: 'races', holds: 'Pins that a close could not honour, and why.' },
  race_pin: { holds: 'Which version a miner wants to race, until the miner changes it.' },
  race_pin_change: { writer: 'pins', holds: 'Every pin and unpin; only ever added to.' },
  race_policy: { holds: 'What operators changed of the rules of races, the newest version last.' },
  race_task: { writer: 'races', holds: 'The held-out tasks of one race, drawn at its start.' },
  rejected_submission: {
    holds: 'Submissions that the checks refused: they count against the hourly limit.',
  },
  rejudging: { holds: 'Orders to evaluate counted runs once more, and what became of each order.' },
  rejudging_run: { holds: 'The runs that a rejudging is about.' },
  'rt.board_change': {
    writer: 'boards',
    holds: 'What may have changed a row of a leaderboard, for edges that hold boards in memory.',
  },
  'rt.clock_follower': {
    writer: 'clock',
    holds: 'How far each process is under a simulated clock, as it reports. Unlogged.',
  },
  'rt.clock_offset': {
    writer: 'clock',
    holds: 'The one row that says whether the clock is simulated, and how far it is ahead.',
  },
  'rt.event': { writer: 'runtime', holds: 'The facts that partitions decided, for ever.' },
  'rt.history': {
    writer: 'runtime',
    holds: 'The one row that says which database this is, and how often it was put back.',
  },
  'rt.inbox': {
    writer: 'runtime',
    holds: 'Proofs that a message was consumed, with the first answer to it; kept for a week.',
  },
  'rt.mark': {
    writer: 'runtime',
    holds: 'How far the database had come at a moment, as a chain of hashes.',
  },
  'rt.member': { writer: 'runtime', holds: 'The coordinators that are alive, by their leases.' },
  'rt.outbox': {
    writer: 'runtime',
    holds: 'Messages to be sent, until their consumption is proved in the inbox.',
  },
  'rt.partition': {
    writer: 'runtime',
    holds: 'Who owns each partition, and the epoch by which a commit is fenced.',
  },
  'rt.poison': {
    writer: 'runtime',
    holds: 'Messages that failed too often, parked for operators.',
  },
  'rt.snapshot': {
    writer: 'runtime',
    holds: 'The latest state of each machine, from which an owner begins.',
  },
  'rt.unserved': {
    writer: 'runtime',
    holds:
      'When nobody served a partition for a second or more, which counts for no limit of a run.',
  },
  run_beat: {
    writer: 'evaluations',
    holds: 'The latest heartbeat of each live run, flushed every few seconds: never for safety.',
  },
  schema_migration: { writer: 'migrations', holds: 'The migrations that were applied.' },
  seal_key: { holds: 'When each key of CREDENTIAL_KEYS last sealed a text, and was last seen.' },
  seal_key_check: {
    holds: 'What shows whether an id of CREDENTIAL_KEYS still stands for its key.',
  },
  sealed_text: { holds: 'Where sealed texts are, by which key and since when, without the texts.' },
  session: { holds: 'Who is signed in, by the hash of the token.' },
  similarity_again: {
    holds:
      'The one row that says behind which version reports are made again, one after the other.',
  },
  similarity_code: { holds: 'The fingerprints of each distinct file, 4,096 at most.' },
  similarity_fingerprint: {
    holds: 'Which version of a hotkey was the first with a fingerprint.',
  },
  similarity_version: { holds: 'Each version as it waits for the comparison, and its verdict.' },
  suite: { holds: 'The suites of tasks with their terms; at most one is active.' },
  suite_problem: { holds: 'The roster of a suite; races of a legacy suite draw from it too.' },
  top_agent: { writer: 'races', holds: 'One row per reign: the score to beat, and when it ended.' },
  validator: { holds: 'When a validator was seen last, and what it said of its host.' },
  webhook: { holds: 'Whom operators have told of the feed, and how far each of them is.' },
  work_item: {
    writer: 'evaluations',
    holds: 'What a version still needs: its place in the queue and the runs that count.',
  },
};
