/** Deletes at most `limit` rows that have served; answers how many went. */
export type Sweep = (limit: number) => Promise<number>;
