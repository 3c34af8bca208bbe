import { causeAt, describePacket, onHost, packetAt } from './evidence.ts';
import type { Diagnose } from './evidence.ts';

/** echo-ignored: the host takes the echo request, and a setting keeps it from answering (icmp_echo, icmpv6_echo_reply). */
export const echoIgnored: Diagnose = (_evidence, site) => {
  if (site.drop?.reason !== 'ECHO_IGNORED') return null;
  const packet = packetAt(site);
  const key = packet?.protocol === 'icmpv6' ? 'net.ipv6.icmp.echo_ignore_all' : 'net.ipv4.icmp_echo_ignore_all';
  const text = `${site.host} got ${describePacket(packet)} and answers no echo requests (${key}=1); its ports may well answer`;
  return causeAt(site, 'echo-ignored', text, [onHost(site.host, `sysctl -w ${key}=0`)]);
};
