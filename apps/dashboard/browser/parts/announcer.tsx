import { useEffect, useState } from 'preact/hooks';

const hearers = new Set<(text: string) => void>();

/** Says something to who cannot see it change. */
export function announce(text: string): void {
  for (const hear of hearers) hear(text);
}

export function Announcer() {
  const [text, setText] = useState('');
  useEffect(() => {
    hearers.add(setText);
    return () => {
      hearers.delete(setText);
    };
  }, []);
  return (
    <p class="unseen" role="status" aria-live="polite">
      {text}
    </p>
  );
}
