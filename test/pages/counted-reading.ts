import type { Page } from 'playwright-core';

const pieceBytes = 64 * 1024;

// Of what other addresses than the page's own answer, for that is where episodes lie.
const script = (heldAfterBytes: number) => `{
  const counts = { readBytes: 0, parsed: 0, parsedMax: 0, decodedBytes: 0 };
  let letOn;
  let isHeld = true;
  const opened = new Promise((open) => { letOn = open; }).then(() => { isHeld = false; });
  window.reading = { counts, letOn };
  const real = window.fetch.bind(window);
  window.fetch = async (...args) => {
    const answer = await real(...args);
    if (new URL(answer.url).origin === location.origin) return answer;
    const reader = answer.body.getReader();
    let rest = new Uint8Array();
    const pull = async (controller) => {
      if (isHeld && counts.readBytes >= ${heldAfterBytes}) await opened;
      // Some pieces are of megabytes, and none is given further so large; others are of any length, and
      // what is held is held to the byte.
      if (rest.length === 0) rest = (await reader.read()).value ?? rest;
      if (rest.length === 0) return controller.close();
      const room = isHeld ? ${heldAfterBytes} - counts.readBytes : Infinity;
      const piece = rest.subarray(0, Math.min(${pieceBytes}, room));
      rest = rest.subarray(piece.length);
      counts.readBytes += piece.length;
      controller.enqueue(piece);
    };
    const body = new ReadableStream({ pull }, { highWaterMark: 0 });
    return new Response(body, { headers: answer.headers });
  };
  const parse = JSON.parse;
  JSON.parse = (text, ...rest) => {
    counts.parsed += text.length;
    counts.parsedMax = Math.max(counts.parsedMax, text.length);
    return parse(text, ...rest);
  };
  const decode = TextDecoder.prototype.decode;
  TextDecoder.prototype.decode = function (bytes, ...rest) {
    counts.decodedBytes += bytes?.byteLength ?? 0;
    return decode.call(this, bytes, ...rest);
  };
}`;

export interface ReadingCounts {
  readonly readBytes: number;
  /** Characters that were parsed as JSON, and the longest text of them. */
  readonly parsed: number;
  readonly parsedMax: number;
  readonly decodedBytes: number;
}

/** Counts what a page makes of an episode, of which no more comes than so much until it is let on. */
export async function countReading(page: Page, heldAfterBytes: number) {
  await page.addInitScript(script(heldAfterBytes));
  return {
    counts: async () => (await page.evaluate('window.reading.counts')) as ReadingCounts,
    letOn: () => page.evaluate('window.reading.letOn()'),
  };
}
