import type { Page } from 'playwright-core';

// Within the page, where the order in which it asks and is answered is known for certain; from outside, what
// was asked at the same time may be heard of one after the other.
const script = `{
  const real = window.fetch.bind(window);
  let waiting = [];
  window.fetch = (...args) => new Promise((answer) => {
    const { url } = new Request(...args);
    waiting.push({ address: url, ask: async () => {
      // An answer that broke is one too.
      const given = real(...args);
      await given.then((response) => response.clone().arrayBuffer()).catch(() => undefined);
      return () => answer(given);
    } });
  });
  const frames = () => new Promise((done) =>
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))));
  window.nextAnswers = async () => {
    // The page has drawn, and done what it does after that, until it asks for nothing more.
    for (let before = -1; before !== waiting.length; await frames()) before = waiting.length;
    const those = waiting;
    waiting = [];
    // The first that is there is not given before the last.
    for (const give of await Promise.all(those.map(({ ask }) => ask()))) give();
    await frames();
    return those.map(({ address }) => address);
  };
}`;

export interface HeldFetches {
  /** Waits until the page asks for nothing more, and gives all answers together; says to what. */
  next(): Promise<readonly string[]>;
}

/**
 * Answers are held until they are given together, so whatever the page asks for the first time after
 * that, it could not ask before. Its stream of events never begins: what it asks again then is no news.
 */
export async function holdFetches(page: Page): Promise<HeldFetches> {
  await page.addInitScript(script);
  await page.route('**/v1/public/events*', () => undefined);
  return { next: async () => (await page.evaluate('window.nextAnswers()')) as readonly string[] };
}
