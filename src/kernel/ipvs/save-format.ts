import { formatEndpoint } from '../../net/ip.ts';
import type { RealServer, VirtualServer } from './virtual-server.ts';

const PROTOCOL_OPTION = { tcp: '-t', udp: '-u', sctp: '--sctp-service' } as const;
const FORWARDING_OPTION = { masquerade: '-m', route: '-g', tunnel: '-i' } as const;

/** What `ipvsadm -S -n` prints: each virtual server, and behind it its real servers. `ipvsadm -R` reads it back. */
export function printIpvsadmSave(servers: readonly VirtualServer[]): string {
  return servers.flatMap((server) => [serverLine(server), ...server.realServers.map((real) => realLine(server, real))]).join('');
}

function serverLine(server: VirtualServer): string {
  const persistence = server.persistence === null ? '' : ` -p ${server.persistence}`;
  const flags = server.schedulerFlags.length === 0 ? '' : ` -b ${server.schedulerFlags.join(',')}`;
  return `-A ${serverName(server)} -s ${server.scheduler}${persistence}${flags}\n`;
}

function realLine(server: VirtualServer, real: RealServer): string {
  const forwarding = FORWARDING_OPTION[real.forwarding];
  return `-a ${serverName(server)} -r ${formatEndpoint(real.address, real.port)} ${forwarding} -w ${real.weight}\n`;
}

function serverName({ protocol, address, port }: VirtualServer): string {
  return `${PROTOCOL_OPTION[protocol]} ${formatEndpoint(address, port)}`;
}
