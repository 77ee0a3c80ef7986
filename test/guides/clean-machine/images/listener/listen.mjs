// Takes what processes send to a collector, and says so; and is a page where traces would be.
import { createServer } from 'node:http';

for (const port of [4318, 16_686]) {
  createServer((request, response) => {
    console.log(`${request.method} ${request.url} on ${port}`);
    request.resume().once('end', () => {
      response.setHeader('content-type', 'application/json');
      response.end('{}');
    });
  }).listen(port, '0.0.0.0');
}
process.once('SIGTERM', () => process.exit());
