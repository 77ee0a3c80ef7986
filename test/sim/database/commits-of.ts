import type { Commit, CommittedEvent } from '../oracle/commit-model.ts';

interface OwnedPartition {
  readonly part: number;
  readonly epoch: number;
}

type Event = CommittedEvent & { readonly part?: number };

interface Json<T> {
  readonly value: T;
}

type StatedCommit = Omit<Commit, 'atMs' | 'process'>;

/** What a statement commits if nothing stands against it: one of each partition that it names. */
export function commitsOf(statement: string, args: readonly unknown[]): readonly StatedCommit[] {
  if (statement === 'commit') {
    const [kind, part, epoch, , , batch] = args;
    const { events } = (batch as Json<{ events: Event[] }>).value;
    return [{ kind: String(kind), part: Number(part), epoch: Number(epoch), events }];
  }
  if (statement !== 'commit_all') return [];
  const [kind, owned, , batch] = args;
  const { events } = (batch as Json<{ events: Event[] }>).value;
  return (owned as Json<OwnedPartition[]>).value.map(({ part, epoch }) => ({
    ...{ kind: String(kind), part, epoch },
    events: events.filter((event) => event.part === part),
  }));
}
