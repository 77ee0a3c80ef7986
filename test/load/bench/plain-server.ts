/** The least that answers over HTTP: what no service built on it can be faster than. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { planOf, servePartner } from './partner-process.ts';

export interface PlainServerPlan {
  readonly kind: 'express' | 'node:http';
  /** Answered to everything, as JSON. */
  readonly body: string;
}

const { kind, body } = planOf<PlainServerPlan>();
const server = kind === 'express' ? viaExpress() : bare();
await once(server, 'listening');
servePartner(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, () =>
  Promise.resolve(true),
);

function bare(): Server {
  const length = Buffer.byteLength(body);
  const head = { 'content-type': 'application/json', 'content-length': length };
  return createServer((request, response) => {
    request.resume();
    response.writeHead(200, head).end(body);
  }).listen(0, '127.0.0.1');
}

function viaExpress(): Server {
  const app = express();
  app.use((_request, response) => {
    response.type('json').send(body);
  });
  return app.listen(0, '127.0.0.1');
}
