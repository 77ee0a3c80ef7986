import type { Page } from 'playwright-core';

// Like an EventSource to the page, but it opens, tells and fails when the test says so.
const script = `{
  const streams = window.streams = [];
  window.EventSource = class extends EventTarget {
    static CONNECTING = 0;
    static OPEN = 1;
    static CLOSED = 2;
    readyState = 0;
    constructor(url) {
      super();
      this.url = url;
      streams.push(this);
    }
    close() {
      this.readyState = 2;
    }
  };
}`;

export interface PlantedStream {
  /** How many were opened, and how many of them are not closed. */
  counts(): Promise<{ readonly all: number; readonly open: number }>;
  /** What the service does on the latest one. */
  begin(): Promise<void>;
  tell(type: string, id?: string): Promise<void>;
  /** As where the service answers with anything but a stream. */
  refuse(): Promise<void>;
}

/** In place of the page's stream of events. */
export async function plantStream(page: Page): Promise<PlantedStream> {
  await page.addInitScript(script);
  const onLatest = async (what: string) => {
    await page.evaluate(`{ const stream = window.streams.at(-1); ${what} }`);
  };
  return {
    counts: async () =>
      (await page.evaluate(`({
        all: window.streams.length,
        open: window.streams.filter(({ readyState }) => readyState !== 2).length,
      })`)) as { all: number; open: number },
    begin: () => onLatest('stream.readyState = 1; stream.onopen();'),
    tell: (type, id = '') =>
      onLatest(`stream.dispatchEvent(new MessageEvent('${type}',
        { data: '{"type":"${type}"}', lastEventId: '${id}' }));`),
    refuse: () => onLatest('stream.readyState = 2; stream.onerror();'),
  };
}
