/** Whose one-at-a-time mode stands beside a claim and its completion. */
export const leasingPeers = ['skip locked', 'graphile-worker', 'pg-boss'] as const;

export interface PeerOrder {
  /** `graphile batched` leases to itself, hundreds at a time: nobody else could be given one. */
  readonly peer: (typeof leasingPeers)[number] | 'graphile batched';
  readonly jobs: number;
}

export interface PeerAnswer {
  readonly seconds: number;
  /** Of the process that leases; Postgres is not in it. */
  readonly cpuUs: number;
}

export interface PeersPlan {
  readonly databaseUrl: string;
}
