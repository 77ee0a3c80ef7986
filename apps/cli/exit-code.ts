/** What a script may go by; `paddock --help` lists them. */
export const exitCodes = {
  done: 0,
  /** The answer is no: the service refused, a file has findings, a race differs. */
  refused: 1,
  usage: 2,
  notSignedIn: 3,
  notFound: 4,
  /** Not now: no answer, overloaded, or a wait that the service asks for. */
  later: 5,
  /** An error of this program itself. */
  defect: 70,
  /** 128 and the number of SIGINT, as shells say it. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
