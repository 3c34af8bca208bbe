import { parseIp } from '../../net/ip.ts';
import { nearest } from '../../support/nearest.ts';
import { found, isClusterScoped, kindAliases, kindOfAlias, refused } from './ref.ts';
import type { RefKind, Ref, Result } from './ref.ts';

const FORMS =
  'pod/[NAMESPACE/]NAME, node/NAME, external/NAME, svc/[NAMESPACE/]NAME[:PORT], deploy/NAME, IP[:PORT], NAME:PORT or a URL';

/** Characters of the longest reference: names of 253, a namespace of 63, a kind, a cluster's domain and a port. */
const MAX_REF = 600;
const MAX_URL = 4096;
/** Characters of a label (RFC 1035 2.3.4). */
const MAX_LABEL = 63;
/** An IANA service name (RFC 6335): at least one letter, no hyphen at either end. */
const PORT_NAME = /^(?=.{1,15}$)(?=.*[a-z])[a-z0-9]([a-z0-9-]*[a-z0-9])?$/i;
/** How a URL begins, of whatever scheme. */
export const URL_START = /^[a-z][a-z0-9+.-]*:\/\//i;

/** Takes a reference apart. Looks nothing up; refuses what has none of the forms of design section 4. */
export function parseRef(text: string): Result<Ref> {
  const trimmed = text.trim();
  if (trimmed.length > (URL_START.test(trimmed) ? MAX_URL : MAX_REF))
    return refused(`"${trimmed.slice(0, 40)}…" has ${trimmed.length} characters: no reference is that long`);
  if (trimmed === '') return refused(`an empty reference; expected ${FORMS}`);
  if (URL_START.test(trimmed)) return found({ form: 'url', url: trimmed });
  if (trimmed.includes('/')) return parseObject(trimmed);
  return parseAddress(trimmed) ?? parseName(trimmed);
}

function parseObject(text: string): Result<Ref> {
  const [kindText, ...rest] = text.split('/');
  const kind = kindOfAlias(kindText!);
  if (!kind) {
    const near = nearest(kindText!, kindAliases());
    // A host with a path, as browsers take it.
    const isHost = /^[a-z0-9-]+(\.[a-z0-9-]+)+(:\d+)?$/i.test(kindText!);
    const hint = isHost
      ? `a URL is written http://${text}`
      : near
        ? `did you mean ${near}/${rest.join('/')}?`
        : `a pod is written pod/${text}`;
    return refused(`unknown kind "${kindText}" in "${text}"; ${hint}`);
  }
  const last = rest.at(-1)!;
  const colon = last.indexOf(':');
  const port = colon < 0 ? null : last.slice(colon + 1);
  const names = [...rest.slice(0, -1), colon < 0 ? last : last.slice(0, colon)];
  const most = isClusterScoped(kind) ? 1 : 2;
  if (names.length > most || names.includes('') || port === '') {
    const form = most === 1 ? `${kind}/NAME[:PORT]` : `${kind}/[NAMESPACE/]NAME[:PORT]`;
    return refused(`"${text}" is not of the form ${form}`);
  }
  const [namespace, name] = names.length === 2 ? [names[0]!, names[1]!] : splitDotted(kind, names[0]!);
  return found({ form: 'object', kind, namespace, name, port });
}

/** `svc/web.shop` and `svc/web.shop.svc.cluster.local` say their namespace behind a dot; a Service's own name has none (RFC 1035 label). */
function splitDotted(kind: RefKind, name: string): readonly [string | null, string] {
  if (kind !== 'svc' || !name.includes('.')) return [null, name];
  const [service, namespace] = name.split('.');
  return [namespace!, service!];
}

function parseAddress(text: string): Result<Ref> | null {
  const bare = parseIp(text);
  if (bare !== null) return found({ form: 'address', address: bare, port: null });
  const bracketed = /^\[([^\]]*)\](?::(.*))?$/.exec(text);
  const plain = /^(\d+\.\d+\.\d+\.\d+)(?::(.*))?$/.exec(text);
  const parts = bracketed ?? plain;
  if (!parts) return null;
  const address = parseIp(parts[1]!);
  if (address === null) return refused(`"${parts[1]}" is not an IP address`);
  if (parts[2] === undefined) return found({ form: 'address', address, port: null });
  const port = parsePort(parts[2]);
  return port === null ? refused(`"${parts[2]}" is not a port (1 to 65535)`) : found({ form: 'address', address, port });
}

function parseName(text: string): Result<Ref> {
  const match = /^([a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?\.?)(?::([^:]+))?$/i.exec(text);
  if (!match) return refused(`"${text}" is not a reference; expected ${FORMS}`);
  const [, name = '', port] = match;
  const wrong = name
    .replace(/\.$/, '')
    .split('.')
    .find((label) => label === '' || label.length > MAX_LABEL);
  if (wrong !== undefined)
    return refused(
      `"${text}" is not a DNS name: ${wrong === '' ? 'a label is empty' : `a label has ${wrong.length} characters, at most ${MAX_LABEL} are allowed`}`,
    );
  if (port !== undefined && parsePort(port) === null && !PORT_NAME.test(port))
    return refused(`"${port}" is neither a port (1 to 65535) nor the name of one`);
  return found({ form: 'dns', name, port: port ?? null });
}

/** A decimal port number from 1 to 65535; null for anything else. */
export function parsePort(text: string): number | null {
  if (!/^\d{1,5}$/.test(text)) return null;
  const port = Number(text);
  return port >= 1 && port <= 65535 ? port : null;
}
