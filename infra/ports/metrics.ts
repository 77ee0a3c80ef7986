import { providerIds } from './inference.ts';

/** What a number says of the service, and in what. The names are fixed here and nowhere else. */
interface Metric {
  readonly unit: string;
  readonly description: string;
  /** What tells its series apart within a process. */
  readonly labels?: readonly string[];
}

interface Counter extends Metric {
  /**
   * All that a label may say, where that is known. Where it is of every label, each series is shown
   * from the start: one that appears with its first events looks as if it had never grown.
   */
  readonly values?: Readonly<Record<string, readonly (boolean | string)[]>>;
}

const partitionKinds = ['emission', 'eval', 'race'] as const;

/** They only grow; a scrape shows each with `_total`. */
export const counters = {
  'paddock.commit.fenced': {
    unit: '{commit}',
    description: 'Commits and answers refused because another process owns the partition',
    labels: ['kind'],
    values: { kind: partitionKinds },
  },
  'paddock.partition.epoch_changes': {
    unit: '{change}',
    description: 'Partitions that this process took over',
    labels: ['kind'],
    values: { kind: partitionKinds },
  },
  'paddock.lease.expiries': {
    unit: '{lease}',
    description: 'Runs that went stale, by reason',
    labels: ['reason'],
    values: { reason: ['LEASE_EXPIRED', 'NO_PROGRESS', 'RUN_LIMIT', 'RECLAIMED'] },
  },
  'paddock.lease.amnesties': {
    unit: '{lease}',
    description: 'Live leases that were lengthened after an outage of ours or a change of owner',
  },
  'paddock.sweeper.republishes': {
    unit: '{message}',
    description: 'Outbox messages that the sweeper published again',
  },
  'paddock.inbox.duplicates': {
    unit: '{message}',
    description: 'Commands answered from the inbox because they had been done before',
  },
  'paddock.edge.verifier_traps': {
    unit: '{trap}',
    description: 'How often the quick library for signatures died; the strict one took its place',
  },
  'paddock.edge.shed': {
    unit: '{request}',
    description: 'Refused because too much was asked at once, by where: before its route, or at it',
    labels: ['lane'],
    values: {
      lane: [
        ...['read', 'proof', 'admission', 'pipeline', 'connection'],
        ...['coming-body', 'large-body', 'large-answer'],
      ],
    },
  },
  'paddock.edge.drips': {
    unit: '{connection}',
    description: 'Connections cut off since a body came too slowly, or a large answer was taken so',
    labels: ['what'],
    values: { what: ['body', 'answer'] },
  },
  'paddock.heartbeats': {
    unit: '{heartbeat}',
    description: 'Heartbeats accepted',
  },
  'paddock.signatures': {
    unit: '{signature}',
    description: 'Signatures that an edge checked, by whether they were good',
    labels: ['isGood'],
    values: { isGood: [true, false] },
  },
  'paddock.inference.completions': {
    unit: '{completion}',
    description: 'Completions sent to a provider, by provider and by whether they failed',
    labels: ['provider', 'failed'],
    values: { provider: providerIds, failed: [true, false] },
  },
  'paddock.inference.uncounted': {
    unit: '{completion}',
    description: 'Completions that an edge could not have counted in time, and gave up',
    labels: ['provider'],
    values: { provider: providerIds },
  },
  'paddock.sealed_texts.resealed': {
    unit: '{text}',
    description: 'Secrets at rest that were sealed anew, after a new key came first',
  },
  'paddock.validator.runs': {
    unit: '{run}',
    description: 'Runs of a reference validator, by how they ended',
    labels: ['end'],
  },
  'paddock.validator.tasks': {
    unit: '{task}',
    description: 'Tasks that a reference validator ran in its sandbox, by outcome and by end',
    labels: ['outcome', 'end'],
  },
  'paddock.validator.retries': {
    unit: '{attempt}',
    description: 'Results and completions that were not acknowledged and are sent again',
  },
} as const satisfies Record<string, Counter>;

/** Every combination of the values of its labels; none where those of one are not known. */
export function seriesOf({ labels = [], values = {} }: Partial<Counter>) {
  type Series = Readonly<Record<string, boolean | string>>;
  return labels.reduce<readonly Series[]>(
    (all, label) =>
      all.flatMap((one) => (values[label] ?? []).map((value) => ({ ...one, [label]: value }))),
    [{}],
  );
}

interface Distribution extends Metric {
  readonly buckets: readonly number[];
}

const millisecondBuckets = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000];
const sizeBuckets = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

/** Distributions; the buckets are upper bounds in the metric's unit. */
export const histograms = {
  'paddock.mailbox.wait': {
    unit: 'ms',
    description: 'From arrival in the mailbox to the start of its batch',
    buckets: millisecondBuckets,
    labels: ['kind'],
  },
  'paddock.commit.batch_size': {
    unit: '{command}',
    description: 'Commands in one commit',
    buckets: sizeBuckets,
    labels: ['kind'],
  },
  'paddock.commit.duration': {
    unit: 'ms',
    description: 'One commit, from the statement to its answer',
    buckets: millisecondBuckets,
    labels: ['kind'],
  },
  'paddock.edge.request.duration': {
    unit: 'ms',
    description: 'HTTP requests, by route and class of status (5xx-provider: not ours)',
    buckets: millisecondBuckets,
    labels: ['method', 'route', 'status'],
  },
  'paddock.validator.task.duration': {
    unit: 'ms',
    description: 'One task in the sandbox of a reference validator',
    buckets: [...millisecondBuckets, 30_000, 60_000, 120_000],
  },
} as const satisfies Record<string, Distribution>;

/** Read when somebody looks. */
export const gauges = {
  'paddock.process.started': {
    unit: 's',
    description: 'When this process started, in seconds of Unix time: another after each start',
  },
  'paddock.edge.in_flight': {
    unit: '{request}',
    description: 'Requests that were let in and are not answered yet, of one edge',
  },
  'paddock.edge.clock_ahead': {
    unit: 's',
    description:
      "How far the clock of an edge's host is ahead of the database's; less than zero where it is behind",
  },
  'paddock.edge.proof_wait': {
    unit: 'ms',
    description: 'How long somebody new to this edge waits until he is let in',
  },
  'paddock.chain.stalled': {
    unit: '{edge}',
    description: '1 while the chain of an edge does not go on, so that standings stay as they are',
  },
  'paddock.chain.refused': {
    unit: '{edge}',
    description:
      '1 while the chain of an edge names an epoch that it cannot be, so that validators get no standings',
  },
  'paddock.database.unfit': {
    unit: '{edge}',
    description: '1 while an edge finds the database as one that may lose what it acknowledges',
  },
  'paddock.coordinator.ready': {
    unit: '{coordinator}',
    description: '1 while a coordinator serves all that it is to serve; 0 while it waits or loads',
  },
  'paddock.mailbox.depth': {
    unit: '{command}',
    description: 'Commands waiting, over all partitions of this process',
  },
  'paddock.partition.owned': {
    unit: '{partition}',
    description: 'Partitions that this process serves',
  },
  'paddock.lease.live': {
    unit: '{lease}',
    description: 'Live leases of this process',
    labels: ['kind'],
  },
  'paddock.lease.expiry_brake': {
    unit: '{partition}',
    description: 'Partitions in which expiry pauses because too many leases would end at once',
    labels: ['kind'],
  },
  'paddock.history.lost': {
    unit: '{process}',
    description: '1 while the database is behind what it once had, so that writes are refused',
  },
  'paddock.history.unread': {
    unit: '{place}',
    description:
      'Places outside of the database that do not tell how far it once came, or take no news of it',
  },
  'paddock.outbox.age': {
    unit: 's',
    description:
      'Age of the oldest message that nobody is known to have taken, sent or not; of more than 20,000 at the least',
  },
  'paddock.outbox.pending': {
    unit: '{message}',
    description: 'Messages that nobody is known to have taken, sent or not, up to 20,000',
  },
  'paddock.stream.fill': {
    unit: '1',
    description: 'How full a stream of the broker is, of its limit: at 1 it takes nothing more',
    labels: ['stream'],
  },
  'paddock.sealed_texts': {
    unit: '{text}',
    description: 'Secrets at rest, by whether the first key of the ring or another has sealed them',
    labels: ['key'],
  },
  'paddock.validator.unsent': {
    unit: '{delivery}',
    description: 'Results and completions on disk that the service has not acknowledged',
  },
  'paddock.race.missing_tasks': {
    unit: '{task}',
    description: 'Tasks that the race of the active suite asks for beyond all that are held out',
  },
  'paddock.race.unraced_tasks': {
    unit: '{task}',
    description: 'Tasks held out by the active suite that no race had; zero while none is open',
  },
  'paddock.count.age': {
    unit: 's',
    description:
      'How long ago something was counted that an alarm goes by, or since the start where it never was',
    labels: ['what'],
  },
  'paddock.work.idle': {
    unit: 's',
    description:
      'How long work could have been claimed and no run was under way, by phase; zero where all is well',
    labels: ['phase'],
  },
  'paddock.stuck': {
    unit: '{record}',
    description:
      'Records that wait for nobody or have missed their time, by kind; zero where all is well, and of a pile of messages the least',
    labels: ['kind'],
  },
} as const satisfies Record<string, Metric>;

export type CounterName = keyof typeof counters;
export type HistogramName = keyof typeof histograms;
export type GaugeName = keyof typeof gauges;
