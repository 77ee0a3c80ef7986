import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type PageName, pagePaths } from '../page-paths.ts';

export interface Place {
  readonly path: string;
  readonly query: URLSearchParams;
}

function here(): Place {
  return { path: location.pathname, query: new URLSearchParams(location.search) };
}

const watchers = new Set<() => void>();

export function go(address: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', address);
  else history.pushState(null, '', address);
  for (const watcher of watchers) watcher();
}

export function usePlace(): Place {
  const [place, setPlace] = useState(here);
  useEffect(() => {
    const look = () => setPlace(here());
    watchers.add(look);
    addEventListener('popstate', look);
    return () => {
      watchers.delete(look);
      removeEventListener('popstate', look);
    };
  }, []);
  return place;
}

export function addressOf(
  page: PageName,
  id = '',
  query: Readonly<Record<string, string | number | undefined>> = {},
): string {
  const path = pagePaths[page].replace('{id}', encodeURIComponent(id));
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return search.size === 0 ? path : `${path}?${search}`;
}

interface LinkProps {
  readonly to: string;
  readonly children: ComponentChildren;
  readonly class?: string;
  readonly 'aria-current'?: 'page' | 'true' | undefined;
  readonly 'aria-label'?: string;
}

/** A plain link that, clicked plainly, changes the page without loading it anew. */
export function Link({ to, children, ...rest }: LinkProps) {
  const onClick = (event: MouseEvent) => {
    const isPlain = !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
    if (!isPlain || event.button !== 0) return;
    event.preventDefault();
    go(to);
  };
  return (
    <a {...rest} href={to} onClick={onClick}>
      {children}
    </a>
  );
}
