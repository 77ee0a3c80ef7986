import type { ServerResponse } from 'node:http';
import {
  securityHeaders,
  setSecurityHeaders,
  strictTransport,
} from './middleware/security-headers.ts';

interface Begun {
  readonly requestId: string;
  readonly isSecure: boolean;
  isSet: boolean;
}

const begun = Symbol('begun head');

type Answer = ServerResponse & { [begun]?: Begun };

/**
 * What every answer says of itself. It waits to be written together with the rest of the head: headers
 * that are set one by one cost as much again as all else that a small answer costs.
 */
export function beginHead(
  response: ServerResponse,
  about: { readonly requestId: string; readonly isSecure: boolean },
): void {
  (response as Answer)[begun] = { ...about, isSet: false };
}

/** Undefined before the request was looked at. */
export function requestIdOf(response: ServerResponse): string | undefined {
  return (response as Answer)[begun]?.requestId;
}

/** Puts it among the response's own headers: before another one is set beside it, or in its place. */
export function settleHead(response: ServerResponse): void {
  const head = (response as Answer)[begun];
  if (head === undefined || head.isSet) return;
  head.isSet = true;
  response.setHeader('X-Request-Id', head.requestId);
  setSecurityHeaders(response, head.isSecure);
}

/** Names and values in turn, and what stands in the place of `no-store`. */
export interface HeadLines {
  readonly lines: string[];
  readonly cacheControl?: string;
}

/** The head of an answer that has a body; where headers were set by themselves these join them. */
export function writeHead(response: ServerResponse, status: number, head: HeadLines): void {
  const common = (response as Answer)[begun];
  if (common === undefined || common.isSet || response.getHeaderNames().length > 0) {
    response.statusCode = status;
    setLines(response, head);
    return;
  }
  const said = ['X-Request-Id', common.requestId];
  for (const [name, value] of securityHeaders) {
    said.push(name, name === 'Cache-Control' ? (head.cacheControl ?? value) : value);
  }
  if (common.isSecure) said.push('Strict-Transport-Security', strictTransport);
  for (const line of head.lines) said.push(line);
  response.writeHead(status, said);
}

/** The same, one by one. */
export function setLines(response: ServerResponse, { lines, cacheControl }: HeadLines): void {
  settleHead(response);
  if (cacheControl !== undefined) response.setHeader('Cache-Control', cacheControl);
  for (let at = 0; at < lines.length; at += 2) {
    const [name = '', value = ''] = [lines[at], lines[at + 1]];
    if (name === 'Vary') response.appendHeader(name, value);
    else if (name !== 'Content-Type' || !response.hasHeader(name)) response.setHeader(name, value);
  }
}
