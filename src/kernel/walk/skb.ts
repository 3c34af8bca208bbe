import { isIpv4 } from '../../net/ip.ts';
import type { Mac } from '../../net/mac.ts';
import type { Packet } from '../../net/packet.ts';
import type { ConntrackReference } from '../netfilter/conntrack/entry.ts';
import type { ResolvedRoute } from '../routing/resolved-route.ts';
import type { PacketView } from '../../trace/event.ts';
import type { ConnectionPart } from './connection.ts';

/** Bytes by which a frame may exceed a device's MTU on its way into it: room for a VLAN tag (__is_skb_forwardable). */
export const VLAN_SLACK = 4;

/** br_netfilter's notes on a packet that came by a bridge port (struct nf_bridge_info). */
export interface BridgeInfo {
  readonly physIn: string;
  readonly bridge: string;
  physOut: string | null;
  /** The ip PREROUTING hooks have run; the bridge device's own receive path must not run them again (ip_sabotage_in). */
  preroutingDone: boolean;
}

/** A packet on its way with what the kernel keeps beside it (struct sk_buff). Changed in place by the stages. */
export interface Skb {
  packet: Packet;
  mark: number;
  conntrack: ConntrackReference | null;
  /** IP_CT_UNTRACKED */
  untracked: boolean;
  /** IPVS has had it (ipvs_property). */
  ipvs: boolean;
  srcMac: Mac | null;
  dstMac: Mac | null;
  /** skb->dev: the device it came by; null for local output. A tunnel's outer packet has the tunnel device. */
  device: string | null;
  packetType: 'host' | 'broadcast' | 'multicast' | 'otherhost';
  bridge: BridgeInfo | null;
  /** skb_dst: the routing decision. */
  route: ResolvedRoute | null;
  /** Size of the largest fragment it was put together from (IPCB frag_max_size); 0: it was whole. */
  fragmentSize: number;
  /** The local socket that sends it; null for forwarded packets and what the kernel itself sends. */
  sentBySocket: boolean;
  /** A tunnel's encapsulating packet. */
  outer: boolean;
  /** Which part of the connection it belongs to. */
  readonly part: ConnectionPart;
  /** How its last event showed it. */
  shown: ShownPacket | null;
}

/** A view of a packet, which all events share until packet or mark change. */
export interface ShownPacket {
  readonly packet: Packet;
  readonly mark: number;
  readonly view: PacketView;
}

/** A packet as a local sender hands it to the IP layer. */
export function localSkb(packet: Packet, part: ConnectionPart, sentBySocket: boolean): Skb {
  return {
    packet,
    mark: 0,
    conntrack: null,
    untracked: false,
    ipvs: false,
    srcMac: null,
    dstMac: null,
    device: null,
    packetType: 'host',
    bridge: null,
    route: null,
    fragmentSize: 0,
    sentBySocket,
    outer: false,
    part,
    shown: null,
  };
}

/** skb_clone: what happens to one doesn't happen to the other. */
export function cloneSkb(skb: Skb): Skb {
  const { bridge } = skb;
  return {
    packet: skb.packet,
    mark: skb.mark,
    conntrack: skb.conntrack,
    untracked: skb.untracked,
    ipvs: skb.ipvs,
    srcMac: skb.srcMac,
    dstMac: skb.dstMac,
    device: skb.device,
    packetType: skb.packetType,
    bridge: bridge && {
      physIn: bridge.physIn,
      bridge: bridge.bridge,
      physOut: bridge.physOut,
      preroutingDone: bridge.preroutingDone,
    },
    route: skb.route,
    fragmentSize: skb.fragmentSize,
    sentBySocket: skb.sentBySocket,
    outer: skb.outer,
    part: skb.part,
    shown: skb.shown,
  };
}

/** skb_scrub_packet: what does not go along into another namespace, or into a tunnel (which keeps mark and IPVS property). */
export function scrub(skb: Skb, otherNamespace: boolean): void {
  skb.conntrack = null;
  skb.untracked = false;
  skb.bridge = null;
  skb.route = null;
  skb.sentBySocket = false;
  skb.fragmentSize = 0;
  // Nobody there may cut an IPv6 packet (ignore_df).
  if (!isIpv4(skb.packet.dst)) skb.packet = { ...skb.packet, df: true };
  if (!otherNamespace) return;
  skb.ipvs = false;
  skb.mark = 0;
}
