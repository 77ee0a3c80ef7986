import type { Page } from 'playwright-core';

/** One request of a page as the browser's own network log tells of it. */
export interface PageRequest {
  readonly url: URL;
  /** `Document`, `Script`, `Stylesheet`, `Fetch`, `EventSource` … */
  readonly type: string;
  status: number;
  headers: Readonly<Record<string, string>>;
  /** On the wire, head and all, compressed as it came; nothing from the browser's own store. */
  wireBytes: number;
  isFromStore: boolean;
}

interface Sent {
  readonly requestId: string;
  readonly request: { readonly url: string };
  readonly type?: string;
}
interface Received {
  readonly requestId: string;
  readonly response: {
    readonly status: number;
    readonly headers: Record<string, string>;
    readonly fromDiskCache?: boolean;
  };
}
interface Finished {
  readonly requestId: string;
  readonly encodedDataLength: number;
}

/** Everything that a page asks for from now on. */
export async function networkRecord(page: Page): Promise<readonly PageRequest[]> {
  const session = await page.context().newCDPSession(page);
  const all: PageRequest[] = [];
  const byId = new Map<string, PageRequest>();
  session.on('Network.requestWillBeSent', ({ requestId, request, type = 'Other' }: Sent) => {
    const url = new URL(request.url);
    if (url.protocol === 'data:') return;
    const asked = { url, type, status: 0, headers: {}, wireBytes: 0, isFromStore: false };
    byId.set(requestId, asked);
    all.push(asked);
  });
  session.on('Network.responseReceived', ({ requestId, response }: Received) => {
    const asked = byId.get(requestId);
    if (asked === undefined) return;
    asked.status = response.status;
    asked.headers = Object.fromEntries(
      Object.entries(response.headers).map(([name, value]) => [name.toLowerCase(), value]),
    );
    asked.isFromStore ||= response.fromDiskCache === true;
  });
  session.on('Network.requestServedFromCache', ({ requestId }: { requestId: string }) => {
    const asked = byId.get(requestId);
    if (asked !== undefined) asked.isFromStore = true;
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }: Finished) => {
    const asked = byId.get(requestId);
    if (asked !== undefined && !asked.isFromStore) asked.wireBytes = encodedDataLength;
  });
  await session.send('Network.enable');
  return all;
}
