import type { ServerResponse } from 'node:http';

/**
 * What every answer says to a browser that was led to it, written for JSON: nothing is run, shown in
 * a frame, embedded elsewhere or named to another site. A route that answers a page sends a
 * `Content-Security-Policy` of its own among its headers, which then stands in place of this one.
 */
export const securityHeaders = [
  ['X-Content-Type-Options', 'nosniff'],
  // What may be kept says so itself.
  ['Cache-Control', 'no-store'],
  ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Referrer-Policy', 'no-referrer'],
] as const;

/** A year, of this host alone: what else lives in the domain is not ours to decide. */
export const strictTransport = 'max-age=31536000';

/**
 * `isSecure`: the client spoke TLS to a proxy that we trust. Over plain HTTP browsers ignore HSTS, and
 * a developer's machine must not promise TLS for a name that it shares with others.
 */
export function setSecurityHeaders(response: ServerResponse, isSecure: boolean): void {
  for (const [name, value] of securityHeaders) response.setHeader(name, value);
  if (isSecure) response.setHeader('Strict-Transport-Security', strictTransport);
}

/** The same for an answer that is written on the bare socket. */
export const securityHeaderLines: readonly string[] = securityHeaders.map(
  ([name, value]) => `${name}: ${value}`,
);
