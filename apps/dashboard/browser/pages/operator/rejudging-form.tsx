import { useState } from 'preact/hooks';
import type { Rejudging } from '../../../../cli/client/schemas.generated.ts';
import { ask, newKey, type Refused } from '../../api.ts';
import { Failure } from '../../parts/states.tsx';
import { asRefused } from '../../trajectory/open-episode.ts';

const fields = [
  { name: 'validator_hotkey', title: 'Validator’s hotkey' },
  { name: 'agent_version_id', title: 'Agent version’s id' },
  { name: 'task_id', title: 'Task’s id' },
  { name: 'env_pack_sha256', title: 'Pack’s SHA-256' },
] as const;
const spans = [
  { name: 'claimed_from', title: 'Claimed from' },
  { name: 'claimed_until', title: 'Claimed until' },
] as const;

type Given = Readonly<Record<string, string>>;

/** Selects the runs; what is left empty selects by nothing. */
export function RejudgingForm({
  token,
  onMade,
}: {
  readonly token: string;
  readonly onMade: (made: Rejudging) => void;
}) {
  const [given, setGiven] = useState<Given>({});
  const [failure, setFailure] = useState<Refused>();
  const set = (name: string, value: string) => setGiven({ ...given, [name]: value });
  const onSubmit = (event: Event) => {
    event.preventDefault();
    setFailure(undefined);
    const order = { method: 'POST', token, idempotencyKey: newKey('rejudge') } as const;
    ask<Rejudging>('/v1/admin/rejudgings', { ...order, body: bodyOf(given) }).then(
      (made) => {
        setGiven({});
        onMade(made);
      },
      (error: unknown) => setFailure(asRefused(error)),
    );
  };
  return (
    <details class="panel">
      <summary>Have runs judged again</summary>
      <form class="form" onSubmit={onSubmit}>
        {fields.map(({ name, title }) => (
          <label key={name}>
            {title}
            <input
              value={given[name] ?? ''}
              onInput={(event) => set(name, event.currentTarget.value)}
            />
          </label>
        ))}
        <label>
          Phase
          <select
            value={given['phase'] ?? ''}
            onChange={(event) => set('phase', event.currentTarget.value)}
          >
            <option value="">either</option>
            <option value="QUALIFYING">qualifying</option>
            <option value="RACE">race</option>
          </select>
        </label>
        {spans.map(({ name, title }) => (
          <label key={name}>
            {title}
            <input
              type="datetime-local"
              value={given[name] ?? ''}
              onInput={(event) => set(name, event.currentTarget.value)}
            />
          </label>
        ))}
        <label>
          Reason
          <input
            value={given['reason'] ?? ''}
            onInput={(event) => set('reason', event.currentTarget.value)}
          />
        </label>
        <button type="submit">Select and judge again</button>
      </form>
      {failure !== undefined && <Failure failure={failure} what="the order" />}
    </details>
  );
}

function bodyOf(given: Given): Record<string, string> {
  const said = Object.entries(given).filter(([, value]) => value !== '');
  const isSpan = (name: string) => spans.some((span) => span.name === name);
  return Object.fromEntries(
    said.map(([name, value]) => [name, isSpan(name) ? new Date(value).toISOString() : value]),
  );
}
