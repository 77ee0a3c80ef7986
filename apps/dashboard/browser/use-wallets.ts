import { useEffect, useState } from 'preact/hooks';
import { every } from './clock.ts';
import { walletNames } from './wallet.ts';

const lookEveryMs = 250;
const looksMax = 40;

/** Wallets put themselves into a page when they are ready, some after it is drawn, and none says so. */
export function useWallets(): readonly string[] {
  const [names, setNames] = useState(walletNames);
  useEffect(() => {
    let looks = 0;
    const end = every(lookEveryMs, () => {
      looks += 1;
      if (looks === looksMax) end();
      const now = walletNames();
      setNames((before) => (before.join() === now.join() ? before : now));
    });
    return end;
  }, []);
  return names;
}
