import type { PaddockClient } from '../../apps/cli/client/paddock.generated.ts';
import { commands } from '../../apps/cli/commands.ts';
import type { Desk } from '../../apps/cli/desk.ts';
import { runLine } from '../../apps/cli/run-line.ts';
import { screen } from '../../apps/cli/show/screen.ts';
import { ManualClock } from './manual-clock.ts';

/** A whole line whose service answers each question with what is given here, and fails with what is an error. */
export async function answeredLine(
  answers: Readonly<Record<string, unknown>>,
  ...args: readonly string[]
) {
  const client = Object.fromEntries(
    Object.entries(answers).map(([name, answer]) => [
      name,
      () => (answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer)),
    ]),
  );
  return await lineBy(client as unknown as PaddockClient, ...args);
}

/** A whole line of somebody who has signed in, with a client of the test's own. */
export async function lineBy(client: PaddockClient, ...args: readonly string[]) {
  return await lineAt({ client }, ...args);
}

/** The same at a desk of which some is otherwise than usual. */
export async function lineAt(of: Partial<Desk>, ...args: readonly string[]) {
  const [out, error]: string[][] = [[], []];
  const on = (texts: string[] | undefined) =>
    screen({
      stream: { write: (text: string) => texts?.push(text) },
      ...{ isLive: false, isStyled: false, columns: () => 200, rows: () => 24 },
    });
  const isJson = args.includes('--json');
  const desk = {
    ...{ out: on(out), err: on(error), isJson, stopping: new AbortController().signal },
    clock: new ManualClock(Date.parse('2026-11-24T20:00:00.000Z')),
    environment: { credential: 'demo-of-the-line' },
    ...of,
  } as unknown as Desk;
  const options = { commands, out: desk.out, err: desk.err, version: '1', desk: async () => desk };
  const code = await runLine(args, options);
  return { code, out: out?.join('') ?? '', error: error?.join('') ?? '' };
}
