import { countText } from '../format.ts';

/** Below a list of which only the first are drawn; nothing where all are. */
export function ShowMore({
  shown,
  total,
  onMore,
}: {
  readonly shown: number;
  readonly total: number;
  readonly onMore: () => void;
}) {
  if (total <= shown) return null;
  return (
    <p class="bar">
      <button type="button" onClick={onMore}>
        Show more of {countText(total)}
      </button>
    </p>
  );
}
