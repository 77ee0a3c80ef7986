/** A thread, so that what it allocates is not the service's, which runs in the thread that starts it. */
import { parentPort, workerData } from 'node:worker_threads';
import { HttpConnection } from '../load/http-connection.ts';

export interface SenderPlan {
  readonly baseUrl: string;
  readonly path: string;
  readonly token: string;
}

const { baseUrl, path, token }: SenderPlan = workerData;
const head = `authorization: Bearer ${token}\r\n`;
const connections = Array.from({ length: 8 }, () => new HttpConnection(baseUrl));

/** Told how many to send, tells how many were taken. */
parentPort?.on('message', async (count: number) => {
  let left = count;
  let taken = 0;
  const lane = async (connection: HttpConnection) => {
    while (left-- > 0) {
      const { status } = await connection.send('POST', path, { head, body: '{}' });
      if (status === 200) taken += 1;
    }
  };
  await Promise.all(connections.map(lane));
  parentPort?.postMessage(taken);
});
