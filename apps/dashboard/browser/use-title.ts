import { useEffect } from 'preact/hooks';

/** What the browser's tab, its history and a screen reader call this page. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Paddock`;
  }, [title]);
}
