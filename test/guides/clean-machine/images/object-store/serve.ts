import { connect, createServer, type Socket } from 'node:net';
import { startEmbeddedObjectStore } from '../../../../../infra/object-store/embedded/embedded-store.ts';

/**
 * The embedded object store behind the port and the health path that docker-compose.yml knows, with the
 * credentials of its variables. It listens on loopback, so connections are carried there.
 */
const store = await startEmbeddedObjectStore({
  dataDir: '/data',
  accessKeyId: process.env['AWS_ACCESS_KEY_ID'] ?? '',
  secretAccessKey: process.env['AWS_SECRET_ACCESS_KEY'] ?? '',
});

const healthy = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n';

createServer((socket) => {
  socket.on('error', () => socket.destroy());
  socket.once('data', (first: Buffer) => {
    if (first.toString('latin1').startsWith('GET /healthz ')) socket.end(healthy);
    else carry(socket, first);
  });
}).listen(8333, '0.0.0.0');

function carry(socket: Socket, first: Buffer): void {
  const inner = connect(store.port, '127.0.0.1');
  inner.on('error', () => socket.destroy());
  socket.on('close', () => inner.destroy());
  inner.write(first);
  socket.pipe(inner).pipe(socket);
}

process.once('SIGTERM', () => void store.stop().then(() => process.exit()));
