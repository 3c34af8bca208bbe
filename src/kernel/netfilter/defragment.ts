import { ipHeaderLength, isIpv4 } from '../../net/ip.ts';
import { fragmentHeaders } from '../walk/fragment.ts';
import { ACCEPT } from './hook.ts';
import type { Packet } from '../../net/packet.ts';
import type { HostState } from '../state.ts';
import type { HookCall, HookVerdict } from './hook.ts';

/** nf_defrag_ipv4, nf_defrag_ipv6: conntrack sees whole datagrams only. The last fragment to arrive goes on as the whole. */
export function defragment({ walk, host, skb }: HookCall): HookVerdict {
  if (!skb.packet.fragment) return ACCEPT;
  const whole = reassemble(walk.state.host(host.name), skb.packet);
  if (!whole) return { kind: 'stolen' };
  // What nf_ct_frag6_reasm has put together may be cut again (ignore_df).
  skb.packet = isIpv4(whole.packet.dst) ? whole.packet : { ...whole.packet, df: false };
  skb.fragmentSize = whole.largest;
  return ACCEPT;
}

/** ip_defrag: keeps a fragment until the datagram is complete; null while it isn't. `largest` is the largest fragment's size. */
export function reassemble(state: HostState, piece: Packet): { readonly packet: Packet; readonly largest: number } | null {
  const { fragment, src, dst, l4 } = piece;
  if (!fragment) return { packet: piece, largest: 0 };
  const key = `${src} ${dst} ${l4.protocol} ${fragment.id}`;
  const pieces = [...(state.fragments.get(key) ?? []), piece].sort(
    (a, b) => (a.fragment?.offset ?? 0) - (b.fragment?.offset ?? 0),
  );
  const headers = fragmentHeaders(piece);
  let end = 0;
  for (const { fragment: at, length } of pieces) {
    if (at && at.offset === end) end += length - headers;
  }
  const last = pieces.at(-1);
  const first = pieces[0];
  const complete = first && last?.fragment && !last.fragment.more && last.fragment.offset + last.length - headers === end;
  if (!complete) {
    state.fragments.set(key, pieces);
    return null;
  }
  state.fragments.delete(key);
  const { fragment: _, ...header } = first;
  return {
    packet: { ...header, length: end + ipHeaderLength(piece.dst) },
    largest: Math.max(...pieces.map(({ length }) => length)),
  };
}
