import { Link } from '../router.tsx';
import { useTitle } from '../use-title.ts';

export function NotFound() {
  useTitle('No such page');
  return (
    <>
      <h1>No such page</h1>
      <p>
        There is nothing at <code>{location.pathname}</code>. An address may have been cut when it
        was copied.
      </p>
      <p>
        <Link to="/">To the leaderboard</Link>
      </p>
    </>
  );
}
