import type { DrillWorld } from './drill-world.ts';

/** One fault of the runbook: made to happen, seen as the page says, and mended by its steps. */
export interface Drill {
  /** Of the section in RUNBOOK.md that says `--only NAME`. */
  readonly name: string;
  /** Where the section's heading names several faults: those of them that it makes happen. */
  readonly faults?: readonly string[];
  /** Why it cannot be tried on this machine, if so. */
  readonly whyNot?: () => Promise<string | undefined>;
  /** Rejects when something is not as the page says. */
  run(world: DrillWorld): Promise<void>;
}
