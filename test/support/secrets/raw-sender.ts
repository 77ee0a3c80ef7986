import { once } from 'node:events';
import { connect } from 'node:net';

/** Bytes that no HTTP client would send; what is answered is of no interest. */
export async function sendRaw(baseUrl: string, text: string): Promise<void> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.resume();
  socket.end(text);
  await once(socket, 'close');
}
