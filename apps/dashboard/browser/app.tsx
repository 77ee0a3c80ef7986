import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type PagePlace, placeOf } from '../page-paths.ts';
import { liveFeed, type PublicEvent } from './live.ts';
import { Account } from './pages/account.tsx';
import { Emissions } from './pages/emissions.tsx';
import { Episodes } from './pages/episodes.tsx';
import { LeaderboardPage } from './pages/leaderboard.tsx';
import { NotFound } from './pages/not-found.tsx';
import { Operator } from './pages/operator/operator.tsx';
import { RacePage } from './pages/race.tsx';
import { RunPage } from './pages/run.tsx';
import { Validators } from './pages/validators.tsx';
import { VersionPage } from './pages/version.tsx';
import { Announcer, announce } from './parts/announcer.tsx';
import { addressOf, Link, usePlace } from './router.tsx';

const links = [
  { page: 'leaderboard', title: 'Leaderboard' },
  { page: 'races', title: 'Race' },
  { page: 'emissions', title: 'Emissions' },
  { page: 'validators', title: 'Validators' },
  { page: 'episodes', title: 'Episodes' },
  { page: 'operator', title: 'Operator' },
  { page: 'account', title: 'Account' },
] as const;

export function App() {
  const { path, query } = usePlace();
  const place = placeOf(path);
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current) main.current?.focus();
    isFirst.current = false;
    scrollTo(0, 0);
  }, [path]);
  useEffect(() => liveFeed.listen(tellChange), []);
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class="top">
        <Link class="brand" to="/">
          Paddock
        </Link>
        <nav aria-label="Pages">
          <ul>
            {links.map(({ page, title }) => (
              <li key={page}>
                <Link
                  to={addressOf(page)}
                  aria-current={isWithin(place, page) ? 'page' : undefined}
                >
                  {title}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <LiveLight />
      </header>
      <main id="main" ref={main} tabIndex={-1} key={path}>
        {pageOf(place, query)}
      </main>
      <footer>
        <a href="/docs">The API behind these pages</a>
      </footer>
      <Announcer />
    </>
  );
}

function isWithin(place: PagePlace | undefined, page: string): boolean {
  return place?.page === page || (place?.page === 'race' && page === 'races');
}

function pageOf(place: PagePlace | undefined, query: URLSearchParams): VNode {
  switch (place?.page) {
    case 'leaderboard':
      return <LeaderboardPage query={query} />;
    case 'version':
      return <VersionPage id={place.id} />;
    case 'races':
    case 'race':
      return <RacePage id={place.id} query={query} />;
    case 'run':
      return <RunPage id={place.id} query={query} />;
    case 'episodes':
      return <Episodes />;
    case 'emissions':
      return <Emissions />;
    case 'validators':
      return <Validators />;
    case 'operator':
      return <Operator />;
    case 'account':
      return <Account />;
    case undefined:
      return <NotFound />;
  }
}

/** Rare and of interest to everybody; all else is told by the pages themselves. */
function tellChange(event: PublicEvent): void {
  if (event.type === 'race-started') announce(`Race ${event.race_number} has started.`);
  if (event.type === 'race-completed') announce(`Race ${event.race_number} is complete.`);
  if (event.type === 'top-changed') announce('There is a new top agent.');
  if (event.type === 'history-restored') announce('The service went back to an earlier state.');
}

const lightTexts = {
  connecting: 'Connecting …',
  live: 'Live',
  lost: 'Reconnecting …',
} as const;

function LiveLight() {
  const [connection, setConnection] = useState(liveFeed.connection);
  useEffect(() => liveFeed.watch(setConnection), []);
  return (
    <span class={`light ${connection}`} role="status">
      {lightTexts[connection]}
    </span>
  );
}
