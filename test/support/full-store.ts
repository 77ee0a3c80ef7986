import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

interface FullStore {
  readonly endpoint: string;
  /** What is put is refused from now on, or is not. */
  isFull: boolean;
  stop(): void;
}

/** The object store at that place, until it is full: then it answers everything but what is put. */
export async function storeThatFills(endpoint: string): Promise<FullStore> {
  const server = createServer((message, response) => {
    if (store.isFull && message.method === 'PUT') {
      message.resume().on('end', () => response.writeHead(507).end());
      return;
    }
    const { method, url, headers } = message;
    const passed = request(new URL(url ?? '/', endpoint), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    message.pipe(passed);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const store: FullStore = {
    endpoint: `http://127.0.0.1:${port}`,
    isFull: false,
    stop: () => server.close(),
  };
  return store;
}
