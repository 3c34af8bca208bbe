/** What a client asks a web server for. */
export interface HttpRequest {
  readonly scheme: 'http' | 'https';
  /** As the client writes it: a name, or an address in text. */
  readonly host: string;
  readonly port: number;
  /** Begins with "/". */
  readonly path: string;
}

const PORTS = { http: 80, https: 443 } as const;

/** Takes a URL apart; null where it is none of http or https. */
export function parseUrl(text: string): HttpRequest | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  const scheme = url?.protocol.slice(0, -1);
  if (url === null || (scheme !== 'http' && scheme !== 'https')) return null;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return { scheme, host, port: url.port === '' ? PORTS[scheme] : Number(url.port), path: url.pathname };
}
