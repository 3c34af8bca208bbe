import type { Cidr } from '../../net/cidr.ts';
import type { TransportProtocol } from '../../net/protocol.ts';

/** One dimension of a set's element. */
export type SetField =
  | { readonly kind: 'net'; readonly cidr: Cidr }
  | { readonly kind: 'port'; readonly protocol: TransportProtocol | 'icmp' | 'icmpv6' | 'any'; readonly port: number }
  | { readonly kind: 'mac'; readonly mac: string }
  | { readonly kind: 'mark'; readonly mark: number }
  | { readonly kind: 'iface'; readonly name: string }
  | { readonly kind: 'set'; readonly name: string };

export interface SetEntry {
  readonly fields: readonly SetField[];
  readonly nomatch: boolean;
  /** Options behind the element, as `ipset save` prints them ("timeout 30"). */
  readonly options: string;
}

/** An ipset: `create NAME TYPE OPTIONS` and its entries in order. */
export interface IpSet {
  readonly name: string;
  /** "hash:ip", "hash:ip,port", "bitmap:port", "list:set" ... */
  readonly type: string;
  readonly family: 4 | 6;
  /** The options of `create` as `ipset save` prints them. */
  readonly options: string;
  readonly entries: readonly SetEntry[];
}
