/** How a simulated validator works: how fast, how much it uploads, and what decides its results. */
export interface WorkRule {
  readonly seed: number;
  /** Pretended work per task or problem. */
  readonly taskMs: number;
  /** Ledgers (or logs) uploaded per run, of its first tasks; one needs two requests. */
  readonly artifactsPerRun: number;
}

/** What a validator completes a SUCCESS with. */
export interface Conclusion {
  readonly score: number;
  readonly components: Readonly<Record<string, number>>;
}
