import { once } from 'node:events';
import { request } from 'node:http';
import { json } from 'node:stream/consumers';

export interface AnnouncedBody {
  /** 100 when the body may come; else how the request was refused without it. */
  readonly status: number;
  /** Of the refusal. */
  readonly code: string | undefined;
  /** Sends the whole body. The status of the answer. */
  finish(text: string): Promise<number>;
  /** Goes away with the body unsent. */
  leave(): void;
}

/** A request that waits for the word before it sends its body (`Expect: 100-continue`). */
export async function announceBody(
  url: string,
  { headers, length }: { readonly headers: Record<string, string>; readonly length: number },
): Promise<AnnouncedBody> {
  const asking = request(url, {
    method: 'POST',
    agent: false,
    headers: {
      'content-type': 'application/json',
      ...headers,
      'content-length': length,
      expect: '100-continue',
    },
  });
  asking.on('error', () => undefined);
  const answered = new Promise<{ readonly status: number; readonly code: string | undefined }>(
    (resolve) => {
      asking.once('response', (answer) => {
        void json(answer).then((body) => {
          const { error_code: code } = body as { readonly error_code?: string };
          resolve({ status: answer.statusCode ?? 0, code });
        });
      });
    },
  );
  const isAllowed = once(asking, 'continue').then(() => ({ status: 100, code: undefined }));
  asking.flushHeaders();
  const { status, code } = await Promise.race([isAllowed, answered]);
  return {
    ...{ status, code },
    finish: async (text) => {
      asking.end(text.padEnd(length));
      return (await answered).status;
    },
    leave: () => void asking.destroy(),
  };
}
