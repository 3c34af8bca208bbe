import { parseIp } from '../../../net/ip.ts';
import type { IpAddress } from '../../../net/ip.ts';
import type { NatAction } from '../iptables/context.ts';
import type { NatRange } from '../nat/range.ts';
import type { NftDatum } from './selector.ts';
import type { NftStatement } from './syntax.ts';

type NatStatement = Extract<NftStatement, { kind: 'dnat' | 'snat' | 'masquerade' | 'redirect' }>;

interface Bounds<T> {
  readonly min: T;
  readonly max: T;
}

/**
 * What a NAT statement asks of the NAT core (nft_nat, nft_masq, nft_redir). `to`: the value it rewrites to, "10.0.0.1:80" or an address
 * and a port; empty for masquerade and redirect. null when that is no address.
 */
export function natActionOf(statement: NatStatement, to: readonly NftDatum[]): NatAction | null {
  const { kind, flags } = statement;
  if ('ports' in statement) return { kind: statement.kind, range: rangeOf(null, statement.ports, flags) };
  const target = to.length > 1 ? partsOf(`${bracketed(to[0]!.text)}:${to[1]!.text}`) : partsOf(to[0]?.text ?? '');
  return target && { kind: kind === 'snat' ? 'snat' : 'dnat', range: rangeOf(target.addresses, target.ports, flags) };
}

/** Reads "10.0.0.1", "10.0.0.1:80", "10.0.0.1-10.0.0.5:100-200", "[fd00::1]:80", "fd00::1". */
function partsOf(text: string): { readonly addresses: Bounds<IpAddress>; readonly ports: Bounds<number> | null } | null {
  const plain = boundsOf(text);
  if (plain !== null) return { addresses: plain, ports: null };
  const match = /^(.*):(\d+)(?:-(\d+))?$/.exec(text);
  const addresses = match === null ? null : boundsOf(match[1]!.replace(/[[\]]/g, ''));
  if (match === null || addresses === null) return null;
  return { addresses, ports: { min: Number(match[2]), max: Number(match[3] ?? match[2]) } };
}

function boundsOf(text: string): Bounds<IpAddress> | null {
  const [low, high] = text.split('-');
  const min = parseIp(low!);
  const max = high === undefined ? min : parseIp(high);
  return min === null || max === null ? null : { min, max };
}

function bracketed(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}

function rangeOf(addresses: Bounds<IpAddress> | null, ports: Bounds<number> | null, flags: readonly string[]): NatRange {
  return {
    minAddress: addresses?.min ?? null,
    maxAddress: addresses?.max ?? null,
    minPort: ports?.min ?? null,
    maxPort: ports?.max ?? null,
    random: flags.includes('random'),
    randomFully: flags.includes('fully-random'),
    persistent: flags.includes('persistent'),
  };
}
