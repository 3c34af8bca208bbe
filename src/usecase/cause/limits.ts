import { causeAt, describePacket, lastRoute, onHost, packetAt } from './evidence.ts';
import type { Diagnose, Evidence, Site } from './evidence.ts';

/** Kernel functions that drop what is larger than a device without a word: bridge ports and veth pairs (is_skb_forwardable). */
const SILENT = ['br_dev_queue_push_xmit', '__dev_forward_skb2', '__dev_forward_skb', 'is_skb_forwardable', 'veth_xmit'];

/** mtu-exceeded: larger than the next device or the path takes, and not to be fragmented. */
export const mtuExceeded: Diagnose = (evidence, site) => {
  const { drop } = site;
  if (drop && (drop.reason === 'PKT_TOO_BIG' || SILENT.includes(drop.where))) return tooBigOnTheWay(site);
  if (!drop && evidence.result.verdict === 'message-too-long') return tooBigAtHome(evidence, site);
  return null;
};

function tooBigOnTheWay(site: Site): ReturnType<Diagnose> {
  const { drop, host } = site;
  const packet = packetAt(site);
  const mtu = drop?.detail?.['mtu'];
  const device = drop?.device ?? lastRoute(site)?.dev ?? null;
  const size = packet ? `${packet.length} bytes` : 'too many bytes';
  const limit = `${device ?? 'the route'} of ${host}${mtu === undefined ? '' : ` takes no more than ${mtu}`}`;
  if (drop?.reason === 'PKT_TOO_BIG') {
    const text = `${describePacket(packet)} has ${size}, ${limit}, and it must not be fragmented: ${host} tells the sender to send less, as designed`;
    return causeAt(site, 'mtu-exceeded', text, null);
  }
  const text = `${describePacket(packet)} has ${size}, ${limit}, and what is larger is dropped there without a word`;
  const remedy = device === null || !packet ? null : [onHost(host, `ip link set dev ${device} mtu ${packet.length}`)];
  return causeAt(site, 'mtu-exceeded', text, remedy);
}

function tooBigAtHome({ world, request }: Evidence, site: Site): ReturnType<Diagnose> {
  const route = lastRoute(site);
  const mtu = route?.dev ? world.host(site.host)?.devices.get(route.dev)?.mtu : undefined;
  const asked = request.payload === null ? 'the datagram' : `${request.payload} bytes of data and their headers`;
  const limit = mtu === undefined ? 'the path takes' : `the ${mtu} bytes that ${route?.dev ?? 'the device'} of ${site.host} takes`;
  return causeAt(site, 'mtu-exceeded', `${asked} are more than ${limit}, and the sender forbids fragments: send() fails, as designed`, null);
}

/** ttl-expired: forwarded too often (ip_forward), by a small TTL or a loop. */
export const ttlExpired: Diagnose = ({ request }, site) => {
  if (site.drop?.reason !== 'IP_INHDR') return null;
  const forwarders = site.events.filter((e) => e.kind === 'route' && e.purpose === 'input' && !e.outer).map((e) => e.host);
  const loop = [...new Set(forwarders.filter((host, i) => forwarders.indexOf(host) !== i))];
  const packet = describePacket(packetAt(site));
  if (loop.length > 0) {
    const text = `${packet} goes round between ${loop.join(' and ')}, whose routes lead to each other, until its TTL ends on ${site.host}`;
    return causeAt(site, 'ttl-expired', text, null);
  }
  const small = request.ttl === null ? '' : `: it was sent with TTL ${request.ttl}`;
  return causeAt(site, 'ttl-expired', `the TTL of ${packet} ended on ${site.host}${small}, as designed`, null);
};
