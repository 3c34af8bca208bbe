import { findVirtualServer, formatVirtualServer } from '../../kernel/ipvs/virtual-server.ts';
import { causeAt, onHost } from './evidence.ts';
import type { Diagnose } from './evidence.ts';

/**
 * connection-forgotten: a segment of a connection that stands comes to its virtual server, which does not know it any more and takes only
 * what begins one. So the host itself gets it, and has no such connection.
 */
export const forgottenConnection: Diagnose = ({ world, request }, site) => {
  if (site.drop?.reason !== 'NO_SOCKET' || site.part !== 'request' || request.established === undefined) return null;
  const host = world.host(site.host);
  const server = host && findVirtualServer(host.netfilter.ipvs, request.protocol, request.destination, request.port);
  if (!server) return null;
  const text = `IPVS on ${site.host} has forgotten this connection to virtual server ${formatVirtualServer(server)}, as it does with a TCP connection that was silent for 15 minutes; so the segment came to the node itself, which knows no such connection`;
  return causeAt(site, 'connection-forgotten', text, [onHost(site.host, 'ipvsadm --set 86400 120 300')]);
};
