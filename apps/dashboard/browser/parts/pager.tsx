import { useState } from 'preact/hooks';
import { countText } from '../format.ts';
import { go, Link } from '../router.tsx';

/** Steps through a long list; any page of it is an address of its own. */
export function Pager({
  page,
  pageCount,
  addressOfPage,
}: {
  readonly page: number;
  readonly pageCount: number;
  readonly addressOfPage: (page: number) => string;
}) {
  const [wanted, setWanted] = useState('');
  if (pageCount <= 1) return null;
  const onSubmit = (event: Event) => {
    event.preventDefault();
    const number = Number.parseInt(wanted, 10);
    if (!Number.isFinite(number)) return;
    go(addressOfPage(Math.min(Math.max(1, number), pageCount)));
    setWanted('');
  };
  return (
    <nav class="pager" aria-label="Pages of the list">
      {page > 1 ? <Link to={addressOfPage(page - 1)}>← Previous</Link> : <span>← Previous</span>}
      <span aria-current="page">
        Page {countText(page)} of {countText(pageCount)}
      </span>
      {page < pageCount ? <Link to={addressOfPage(page + 1)}>Next →</Link> : <span>Next →</span>}
      <form onSubmit={onSubmit}>
        <label>
          Go to page{' '}
          <input
            type="number"
            min={1}
            max={pageCount}
            value={wanted}
            onInput={(event) => setWanted(event.currentTarget.value)}
          />
        </label>
        <button type="submit">Go</button>
      </form>
    </nav>
  );
}
