import type { Cause } from '../../trace/outcome.ts';
import { causeAt, deleteRule, describePacket, describeRule, lastRoute, onHost, packetAt } from './evidence.ts';
import type { Diagnose, Evidence, Site } from './evidence.ts';

/** Kernel functions that tell the sender of a packet that is too big; elsewhere (bridge ports, veth pairs) it vanishes. */
const TELLING = ['ip_forward', 'ip_fragment', 'ip6_forward'];

/** mtu-exceeded: larger than the next device or the path takes, and not to be fragmented. */
export const mtuExceeded: Diagnose = (evidence, site) => {
  if (site.drop?.reason === 'PKT_TOO_BIG')
    return TELLING.includes(site.drop.where) ? tooBigToForward(evidence, site) : vanished(evidence, site);
  return !site.drop && evidence.result.verdict === 'message-too-long' ? tooBigAtHome(evidence, site) : null;
};

function tooBigToForward(evidence: Evidence, site: Site): Cause {
  const route = lastRoute(site);
  const device = / mtu /.test(route?.entry ?? '')
    ? `the route \`${route?.entry}\``
    : (site.drop?.device ?? route?.dev ?? 'the way');
  const packet = packetAt(site);
  const limit = site.drop?.detail?.mtu ?? 'less';
  const size = `${describePacket(packet)} has ${packet?.length ?? 'too many'} bytes, ${device} of ${site.host} takes ${limit}`;
  if (evidence.result.verdict !== 'timeout') {
    const text = `${size}, and it must not be fragmented: ${site.host} tells the sender to send less, as designed`;
    return causeAt(site, 'mtu-exceeded', text, null);
  }
  const told = evidence.result.losses.findLast((loss) => loss.part !== site.part && loss.reason !== 'PKT_TOO_BIG');
  const lost = told ? `is lost on ${told.host} (${told.reason})` : 'does not reach it';
  const text = `${size}, it must not be fragmented, and the ICMP message that tells the sender to send less ${lost}`;
  return causeAt(site, 'mtu-exceeded', text, smallerSender(site, limit));
}

/** A sender whose own device is no larger than the way never sends too much. */
function smallerSender(site: Site, limit: string): readonly string[] | null {
  const sent = site.events.find((e) => e.kind === 'tx');
  return sent?.kind === 'tx' ? [onHost(sent.host, `ip link set dev ${sent.device} mtu ${limit}`)] : null;
}

/** The far end of a veth pair checks too: then that one is too small, not the device that sends. */
function vanished({ world }: Evidence, site: Site): Cause {
  const name = site.drop?.device ?? '';
  const packet = packetAt(site);
  const limit = site.drop?.detail?.mtu;
  const device = world.host(site.host)?.devices.get(name);
  const isPeer = device?.kind === 'veth' && String(device.mtu) !== limit;
  const small = isPeer ? device.peer : { host: site.host, device: name };
  const size = packet?.length ?? 0;
  const text = `${describePacket(packet)} has ${size} bytes, ${small.device} of ${small.host} takes ${limit ?? 'less'}, and what is larger vanishes there without a word`;
  return causeAt(site, 'mtu-exceeded', text, [onHost(small.host, `ip link set dev ${small.device} mtu ${size}`)]);
}

function tooBigAtHome({ world, request }: Evidence, site: Site): Cause {
  const route = lastRoute(site);
  const mtu = route?.dev ? world.host(site.host)?.devices.get(route.dev)?.mtu : undefined;
  const asked = request.payload === null ? 'the datagram' : `${request.payload} bytes of data and their headers`;
  const limit =
    mtu === undefined ? 'the path takes' : `the ${mtu} bytes that ${route?.dev ?? 'the device'} of ${site.host} takes`;
  return causeAt(
    site,
    'mtu-exceeded',
    `${asked} are more than ${limit}, and the sender forbids fragments: send() fails, as designed`,
    null,
  );
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
  const setter = site.events.findLast((e) => e.kind === 'rule' && / -j (TTL|HL) /.test(e.text));
  if (setter?.kind === 'rule') {
    const text = `the TTL of ${packet} ended on ${site.host}: ${describeRule(setter)}, of ${setter.host} changed it`;
    return causeAt(site, 'ttl-expired', text, [deleteRule(setter)]);
  }
  const small = request.ttl === null ? '' : `: it was sent with TTL ${request.ttl}`;
  return causeAt(site, 'ttl-expired', `the TTL of ${packet} ended on ${site.host}${small}, as designed`, null);
};
