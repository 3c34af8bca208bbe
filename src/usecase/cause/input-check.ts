import { parseIp } from '../../net/ip.ts';
import { sysctl } from '../../kernel/sysctl.ts';
import { holderOf } from '../refs/lookup.ts';
import { causeAt, describePacket, lastBefore, lastRoute, onHost, packetAt } from './evidence.ts';
import type { Diagnose, Site } from './evidence.ts';

/** The device a dropped packet had come in by. */
function inDevice(site: Site): string | null {
  if (site.drop?.device !== undefined) return site.drop.device;
  const event = site.events[lastBefore(site, (e) => e.kind === 'rx')];
  return event?.kind === 'rx' ? event.device : null;
}

/**
 * rp-filter: strict reverse path filtering, and the way back to the source leads elsewhere (fib_validate_source). In the name of a
 * setting `sysctl` takes a slash for a dot of the device's name.
 */
export const reversePath: Diagnose = (_evidence, site) => {
  if (site.drop?.reason !== 'IP_RPFILTER') return null;
  const device = inDevice(site) ?? 'eth0';
  const source = packetAt(site)?.src ?? 'its source';
  const text = `${site.host} dropped ${describePacket(packetAt(site))}: it came in by ${device}, the way back to ${source} leads elsewhere, and rp_filter is strict`;
  return causeAt(site, 'rp-filter', text, [
    onHost(site.host, `sysctl -w net.ipv4.conf.${device.replaceAll('.', '/')}.rp_filter=2`),
  ]);
};

/** own-source-address: a packet from outside that bears an address of the host itself (fib_validate_source, even with rp_filter=0). */
export const ownSourceAddress: Diagnose = ({ result, cluster }, site) => {
  if (site.drop?.reason !== 'IP_LOCAL_SOURCE') return null;
  const packet = packetAt(site);
  const source = packet?.src ?? 'its source';
  const dnat = result.request.find((e) => e.kind === 'nat' && e.type === 'dnat' && e.after.dst === packet?.dst);
  if (dnat && packet && packet.src === packet.dst) {
    const text = `${dnat.host} sent ${describePacket(packet)} back to its own sender without masquerading it, and ${site.host} drops what comes from its own address`;
    const command = `iptables -t nat -A POSTROUTING -s ${packet.src}/32 -d ${packet.dst}/32 -j MASQUERADE`;
    return causeAt(site, 'own-source-address', text, [onHost(dnat.host, command)]);
  }
  const address = parseIp(source);
  const holder = address === null ? null : holderOf(cluster, address);
  const twin =
    holder && site.host !== `${holder.kind}/${holderName(holder)}`
      ? `, which belongs to ${holder.kind}/${holderName(holder)} too`
      : '';
  const text = `${site.host} dropped ${describePacket(packet)}: it came in from outside with ${site.host}'s own address ${source}${twin}, as designed`;
  return causeAt(site, 'own-source-address', text, null);
};

function holderName(holder: NonNullable<ReturnType<typeof holderOf>>): string {
  switch (holder.kind) {
    case 'pod':
      return `${holder.pod.namespace}/${holder.pod.name}`;
    case 'node':
      return holder.node.name;
    case 'external':
      return holder.external.name;
  }
}

/**
 * martian-source: 127.0.0.0/8 stays inside a host (ip_route_input_slow). It is dropped on arrival, on its way out after DNAT in
 * OUTPUT, or - with route_localnet - gets through, and the answer to it is delivered to the wrong host.
 */
export const martianSource: Diagnose = ({ result, request }, site) => {
  const packet = packetAt(site);
  if (site.drop?.reason === 'IP_LOCALNET') {
    const text = `${site.host} dropped ${describePacket(packet)}: a packet with an address of 127.0.0.0/8 came in by ${inDevice(site) ?? 'a device'}, and route_localnet is off, as designed`;
    return causeAt(site, 'martian-source', text, null);
  }
  if (site.part === 'request' && site.drop?.where === 'nf_hook_slow' && packet?.src.startsWith('127.')) {
    const text = `${site.host} rewrote the destination to ${packet.dst}, which leads out of it, but what comes from ${packet.src} may not leave while route_localnet is off`;
    return causeAt(site, 'martian-source', text, [onHost(site.host, 'sysctl -w net.ipv4.conf.all.route_localnet=1')]);
  }
  const bound = result.local?.address ?? request.sourceAddress;
  const fromLoopback = typeof bound === 'number' && bound >>> 24 === 127;
  if (site.part === 'reply' && site.drop?.reason === 'NO_SOCKET' && site.host !== request.host && fromLoopback) {
    const text = `the client used a source in 127.0.0.0/8, so the answer ${describePacket(packet)} was delivered on ${site.host} itself, where nobody waits for it`;
    return causeAt(site, 'martian-source', text, null);
  }
  return null;
};

/**
 * ip-forward-off: a host that is no router drops what is not for itself (ip_route_input_slow → ip_error, ip6_forward; no ICMP). Of IPv4
 * a device may have a setting of its own. A pod is never meant to be a router: what comes there and is not its own came astray.
 */
export const forwardingOff: Diagnose = ({ world, cluster }, site) => {
  const host = world.host(site.host);
  const packet = packetAt(site);
  if (site.drop?.reason !== 'IP_INADDRERRORS' || !host || !packet) return null;
  const device = inDevice(site);
  const isIpv6 = packet.dst.includes(':');
  const general = isIpv6 ? 'net.ipv6.conf.all.forwarding' : 'net.ipv4.ip_forward';
  const off = sysctl(host.sysctls, general) === 0;
  const own = device === null || isIpv6 ? undefined : host.sysctls.get(`net.ipv4.conf.${device}.forwarding`);
  if (!off && own !== '0') return null;
  if (cluster.pods.some((pod) => site.host === `pod/${pod.namespace}/${pod.name}`)) {
    const text = `${describePacket(packet)} came to ${site.host}, which does not have the address ${packet.dst}`;
    return causeAt(site, 'no-such-address', text, null);
  }
  const setting = off ? general : `net.ipv4.conf.${device?.replaceAll('.', '/')}.forwarding`;
  const out = lastRoute(site)?.dev;
  const what = off ? 'packets' : `packets that come in by ${device}`;
  const text = `${site.host} does not forward ${what} (${setting}=0), so it dropped ${describePacket(packet)}${out ? ` instead of sending it on by ${out}` : ''}`;
  return causeAt(site, 'ip-forward-off', text, [onHost(site.host, `sysctl -w ${setting}=1`)]);
};
