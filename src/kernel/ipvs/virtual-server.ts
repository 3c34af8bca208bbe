import { formatEndpoint } from '../../net/ip.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { TransportProtocol } from '../../net/protocol.ts';
import type { Origin } from '../../trace/origin.ts';

/** A scheduler of IPVS (ip_vs_rr.c, ip_vs_wlc.c ...), by the name that ipvsadm gives it. */
export type IpvsScheduler = string;

/** An address and port whose connections IPVS hands out to real servers (struct ip_vs_service). */
export interface VirtualServer {
  readonly protocol: TransportProtocol;
  readonly address: IpAddress;
  readonly port: number;
  readonly scheduler: IpvsScheduler;
  /** Flags of the scheduler ("mh-port"). */
  readonly schedulerFlags: readonly string[];
  /** Seconds for which a client keeps its real server; null: not kept. */
  readonly persistence: number | null;
  /** In the order in which they were added. */
  readonly realServers: readonly RealServer[];
  readonly origin?: Origin;
}

/** Where connections may go (struct ip_vs_dest). */
export interface RealServer {
  readonly address: IpAddress;
  readonly port: number;
  /** masquerade: the destination is rewritten; route: sent on as it is; tunnel: encapsulated. */
  readonly forwarding: 'masquerade' | 'route' | 'tunnel';
  /** 0: takes no new connections. */
  readonly weight: number;
}

/** Do these have one address and port? */
export function samePlace(a: { readonly address: IpAddress; readonly port: number }, b: typeof a): boolean {
  return a.address === b.address && a.port === b.port;
}

/** "tcp 10.96.0.20:80" */
export function formatVirtualServer({ protocol, address, port }: VirtualServer): string {
  return `${protocol} ${formatEndpoint(address, port)}`;
}

const indexes = new WeakMap<readonly VirtualServer[], ReadonlyMap<string, VirtualServer>>();

/** The virtual server of an address and port (ip_vs_service_find without firewall marks). */
export function findVirtualServer(
  servers: readonly VirtualServer[],
  protocol: string,
  address: IpAddress,
  port: number,
): VirtualServer | undefined {
  let index = indexes.get(servers);
  if (!index) {
    index = new Map(servers.map((server) => [`${server.protocol} ${server.address} ${server.port}`, server]));
    indexes.set(servers, index);
  }
  return index.get(`${protocol} ${address} ${port}`);
}
