import { samePlace } from '../ipvs/virtual-server.ts';
import { attempt, refuse, unmodelled } from './failure.ts';
import { readIpvsCommand } from './ipvs/words.ts';
import { COMMAND_ORIGIN } from './origin.ts';
import type { Host } from '../host.ts';
import type { IpvsTimeouts } from '../ipvs/tcp-state.ts';
import type { RealServer, VirtualServer } from '../ipvs/virtual-server.ts';
import type { IpvsCommand, ServiceName } from './ipvs/words.ts';
import type { OperatorResult } from './result.ts';

/** What ipvsadm prints for the answers of the kernel (ipvs_strerror of libipvs). */
const ANSWER = {
  SERVICE_EXISTS: 'Service already exists',
  NO_SERVICE: 'No such service',
  NOT_DEFINED: 'Service not defined',
  SERVER_EXISTS: 'Destination already exists',
  NO_SERVER: 'No such destination',
  NO_SCHEDULER: 'Scheduler or persistence engine not found',
} as const;

/** The schedulers of the kernel (ip_vs_*.c). */
const SCHEDULERS: readonly string[] = ['rr', 'wrr', 'lc', 'wlc', 'fo', 'ovf', 'lblc', 'lblcr', 'dh', 'sh', 'sed', 'nq', 'mh'];

/** `ipvsadm ...` (1.31); `words` behind the program's name. Listing and zeroing counters change nothing. */
export function ipvsadmCommand(host: Host, words: readonly string[]): OperatorResult {
  return attempt(() => {
    const command = readIpvsCommand(words);
    if (command.kind === 'set-timeouts') return { ok: true, host: withTimeouts(host, command) };
    const ipvs = run(host.netfilter.ipvs, command);
    return { ok: true, host: ipvs === host.netfilter.ipvs ? host : { ...host, netfilter: { ...host.netfilter, ipvs } } };
  });
}

/** ip_vs_set_timeout: what is 0 stays as it is. */
function withTimeouts(host: Host, { tcp, tcpFin, udp }: Extract<IpvsCommand, { kind: 'set-timeouts' }>): Host {
  const ipvsTimeouts: IpvsTimeouts = {
    ...host.netfilter.ipvsTimeouts,
    ...(tcp > 0 && { tcp: tcp * 1000 }),
    ...(tcpFin > 0 && { tcpFin: tcpFin * 1000 }),
    ...(udp > 0 && { udp: udp * 1000 }),
  };
  return { ...host, netfilter: { ...host.netfilter, ipvsTimeouts } };
}

function run(
  servers: readonly VirtualServer[],
  command: Exclude<IpvsCommand, { kind: 'set-timeouts' }>,
): readonly VirtualServer[] {
  switch (command.kind) {
    case 'nothing':
      if (command.service !== null && !find(servers, command.service)) refuse(ANSWER.NO_SERVICE);
      return servers;
    case 'clear':
      return [];
    case 'add-service': {
      if (find(servers, command.service)) refuse(ANSWER.SERVICE_EXISTS);
      return [...servers, { ...withSettings(command), realServers: [], origin: COMMAND_ORIGIN }];
    }
    case 'edit-service':
      return changed(servers, command.service, ANSWER.NO_SERVICE, (server) => ({ ...server, ...withSettings(command) }));
    case 'delete-service': {
      const server = find(servers, command.service) ?? refuse(ANSWER.NO_SERVICE);
      return servers.filter((other) => other !== server);
    }
    case 'add-server':
      requireMasquerading(command.real);
      return changed(servers, command.service, ANSWER.NOT_DEFINED, (server) => {
        if (server.realServers.some((real) => samePlace(real, command.real))) refuse(ANSWER.SERVER_EXISTS);
        return { ...server, realServers: [...server.realServers, command.real] };
      });
    case 'edit-server':
      requireMasquerading(command.real);
      return changed(servers, command.service, ANSWER.NOT_DEFINED, (server) => {
        requireServer(server, command.real);
        const realServers = server.realServers.map((real) => (samePlace(real, command.real) ? command.real : real));
        return { ...server, realServers };
      });
    case 'delete-server':
      return changed(servers, command.service, ANSWER.NOT_DEFINED, (server) => {
        requireServer(server, command.real);
        return { ...server, realServers: server.realServers.filter((real) => !samePlace(real, command.real)) };
      });
  }
}

/** Other ways send the packet as it is (ip_vs_dr_xmit), or in a tunnel. */
function requireMasquerading({ forwarding }: RealServer): void {
  if (forwarding !== 'masquerade') unmodelled(forwarding === 'route' ? 'ipvsadm without -m (direct routing)' : 'ipvsadm -i');
}

function withSettings({
  service,
  scheduler,
  schedulerFlags,
  persistence,
}: Extract<IpvsCommand, { kind: 'add-service' | 'edit-service' }>): Omit<VirtualServer, 'realServers' | 'origin'> {
  if (!SCHEDULERS.includes(scheduler)) refuse(ANSWER.NO_SCHEDULER);
  return { ...service, scheduler, schedulerFlags, persistence };
}

function changed(
  servers: readonly VirtualServer[],
  service: ServiceName,
  absent: string,
  change: (server: VirtualServer) => VirtualServer,
): readonly VirtualServer[] {
  const server = find(servers, service) ?? refuse(absent);
  return servers.map((other) => (other === server ? change(other) : other));
}

function find(servers: readonly VirtualServer[], { protocol, address, port }: ServiceName): VirtualServer | undefined {
  return servers.find((server) => server.protocol === protocol && server.address === address && server.port === port);
}

function requireServer({ realServers }: VirtualServer, wanted: Pick<RealServer, 'address' | 'port'>): void {
  if (!realServers.some((real) => samePlace(real, wanted))) refuse(ANSWER.NO_SERVER);
}
