/** What the sandbox offers to an agent and asks of it. */
export interface SandboxProfile {
  /** Its own packages, of which everything public may be used. */
  readonly agentPackages: readonly string[];
  /** What the file must bind at its top level; called with one argument, not awaited. Undefined: none is asked for. */
  readonly entryPoint: string | undefined;
  /** What ids of products look like, as the source of a regular expression; undefined: as usual. */
  readonly productIdPattern?: string | undefined;
}
