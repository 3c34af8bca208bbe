import { protocolName, protocolNumber } from '../iptables/protocol-names.ts';
import { portOfService } from '../iptables/service-names.ts';
import type { NftSelector } from './selector.ts';
import type { NftMatchRight } from './syntax.ts';

/**
 * What a match compares with, ports and protocols in the form that a packet's own have here. An older nft prints ports by name.
 * null: a port whose number nobody knows.
 */
export function withKnownValues(selector: NftSelector, right: NftMatchRight): NftMatchRight | null {
  if (right.kind === 'patterns') {
    const texts = right.texts.map((text) => knownValue(selector, text));
    return texts.every((text) => text !== null) ? { kind: 'patterns', texts } : null;
  }
  const { lookup } = right;
  if (lookup.kind === 'named') return right;
  const keys = lookup.elements.map(({ key }) => knownValue(selector, key));
  if (!keys.every((key) => key !== null)) return null;
  const elements = lookup.elements.map((element, i) => (keys[i] === element.key ? element : { ...element, key: keys[i]! }));
  return { kind: 'lookup', lookup: { kind: 'anonymous', elements } };
}

const PROTOCOL_SELECTORS: ReadonlySet<NftSelector> = new Set(['meta l4proto', 'ip protocol', 'ip6 nexthdr']);

function knownValue(selector: NftSelector, text: string): string | null {
  if (/ [sd]port$/.test(selector) && /^[a-z]/.test(text)) {
    const port = portOfService(text);
    return port === undefined ? null : String(port);
  }
  if (!PROTOCOL_SELECTORS.has(selector)) return text;
  const number = protocolNumber(text);
  return number === undefined ? text : protocolName(number);
}
