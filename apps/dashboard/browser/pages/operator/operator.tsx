import { useEffect, useState } from 'preact/hooks';
import type { Refused } from '../../api.ts';
import { ask } from '../../api.ts';
import { Failure } from '../../parts/states.tsx';
import { asRefused } from '../../trajectory/open-episode.ts';
import { useTitle } from '../../use-title.ts';
import { Queue } from '../queue.tsx';
import { AuditLog } from './audit-log.tsx';
import { Overview } from './overview.tsx';
import { Partitions } from './partitions.tsx';
import { Rejudgings } from './rejudgings.tsx';
import { Stuck } from './stuck.tsx';
import { Traces } from './traces.tsx';

const views = [
  { name: 'Overview', view: Overview },
  { name: 'Queue', view: Queue },
  { name: 'Partitions', view: Partitions },
  { name: 'Stuck', view: Stuck },
  { name: 'Rejudging', view: Rejudgings },
  { name: 'Traces', view: Traces },
  { name: 'Audit log', view: AuditLog },
] as const;

/** The token is held by what is shown and nowhere else: who leaves the desk takes it along. */
export function Operator() {
  useTitle('Operator');
  const [token, setToken] = useState<string>();
  const forget = () => setToken(undefined);
  useEffect(() => {
    // A browser may keep the page as it was for who comes back.
    addEventListener('pagehide', forget);
    return () => removeEventListener('pagehide', forget);
  }, []);
  if (token === undefined) return <SignIn onToken={setToken} />;
  return <Desk token={token} onLeave={forget} />;
}

function Desk({ token, onLeave }: { readonly token: string; readonly onLeave: () => void }) {
  const [chosen, setChosen] = useState<(typeof views)[number]['name']>('Overview');
  const View = views.find(({ name }) => name === chosen)?.view ?? Overview;
  return (
    <>
      <h1>Operator</h1>
      <div class="bar">
        <nav class="tabs" aria-label="Operator’s views">
          {views.map(({ name }) => (
            <button
              key={name}
              type="button"
              aria-current={name === chosen ? 'true' : undefined}
              onClick={() => setChosen(name)}
            >
              {name}
            </button>
          ))}
        </nav>
        <button type="button" onClick={onLeave}>
          Forget the token
        </button>
      </div>
      <View token={token} />
    </>
  );
}

function SignIn({ onToken }: { readonly onToken: (token: string) => void }) {
  const [text, setText] = useState('');
  const [failure, setFailure] = useState<Refused>();
  const onSubmit = (event: Event) => {
    event.preventDefault();
    const token = text.trim();
    setFailure(undefined);
    ask('/v1/admin/overview', { token }).then(
      () => onToken(token),
      (error: unknown) => setFailure(asRefused(error)),
    );
  };
  return (
    <>
      <h1>Operator</h1>
      <p>
        These views need an operator’s token. It is kept in the memory of this page alone: never
        stored, and forgotten when you reload or leave.
      </p>
      <form class="form" onSubmit={onSubmit}>
        <label>
          Operator’s token
          <input
            type="password"
            autocomplete="off"
            required
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
        <button type="submit">Open</button>
      </form>
      {failure !== undefined && <Failure failure={failure} what="the operator’s views" />}
    </>
  );
}
