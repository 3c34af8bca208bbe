import { cidrContains, parseCidr } from '../../net/cidr.ts';
import { isLaterFragment, portsOf } from '../../net/packet.ts';
import type { Frame, Packet } from '../../net/packet.ts';
import type { FirewallRule } from '../model/cluster.ts';
import type { Link } from './links.ts';

export type FrameFilter = (frame: Frame, inPort: string | null, outPort: string) => boolean;

/** A place that a rule names, as a test of a frame. */
type Place = (port: string | null, address: Packet['src']) => boolean;

/**
 * `underlay.firewall` as the filter of a switch: true for frames that are dropped. A rule's `from` and `to` name a node or an external
 * host ("node-1", "node/node-1", "external/laptop"), or a range of addresses. It has no memory: replies need rules of their own.
 */
export function frameFilter(rules: readonly FirewallRule[], link: Link): FrameFilter {
  const compiled = rules.map((rule) => ({ rule, from: placeOf(rule.from, link), to: placeOf(rule.to, link) }));
  return ({ packet }, inPort, outPort) =>
    compiled.some(({ rule, from, to }) => appliesTo(rule, packet) && from(inPort, packet.src) && to(outPort, packet.dst));
}

function appliesTo(rule: FirewallRule, packet: Packet): boolean {
  if (rule.protocol !== null && packet.l4.protocol !== rule.protocol) return false;
  if (rule.port === null) return true;
  return !isLaterFragment(packet) && portsOf(packet)?.dport === rule.port;
}

function placeOf(text: string | null, link: Link): Place {
  if (text === null) return () => true;
  const range = parseCidr(text);
  if (range !== null) return (_, address) => cidrContains(range, address);
  const ports = new Set(link.members.filter(({ host }) => host === text || host.split('/')[1] === text).map(({ port }) => port));
  return (port) => port !== null && ports.has(port);
}
