import { familyOf, ipv4, ipv6, isIpv4, parseIp } from '../net/ip.ts';
import type { IpAddress } from '../net/ip.ts';
import type { ConnectionRequest } from '../kernel/walk/connection.ts';
import type { Probe } from '../kubernetes/model/check.ts';
import type { Cluster } from '../kubernetes/model/cluster.ts';
import type { PlannedConnection } from './explore.ts';
import { resolveDestination } from './refs/destination.ts';
import { found, refused } from './refs/ref.ts';
import type { Result } from './refs/ref.ts';
import { familiesOf, resolveServer } from './refs/server.ts';
import type { Server } from './refs/server.ts';
import { resolveSource } from './refs/source.ts';
import type { Source } from './refs/source.ts';
import type { Destination } from './refs/target.ts';

/** A probe with everything looked up. */
export interface Plan extends PlannedConnection {
  readonly source: Source;
  readonly destination: Destination;
}

export interface PlanOptions {
  /** Default namespace of references. */
  readonly namespace: string;
  readonly noReply?: boolean;
  /** Source port (of an echo: its identifier) when the probe names none; a real kernel draws one. */
  readonly defaultSourcePort: number;
}

/** What a client's port is unless it is given: a real kernel draws it at random from 32768 to 60999. */
export const FIRST_SOURCE_PORT = 40000;

/** Looks up what a probe names; the first thing that can't be is the reason it is refused. */
export function planConnection(cluster: Cluster, probe: Probe, options: PlanOptions): Result<Plan> {
  if (probe.via !== null) return refused(`via ${probe.via} can't be asked for here`);
  const source = resolveSource(cluster, probe.from, options.namespace);
  if (!source.ok) return source;
  const bind = probe.sourceAddress === null ? source.value.bind : parseIp(probe.sourceAddress);
  if (probe.sourceAddress !== null && bind === null)
    return refused(`source address "${probe.sourceAddress}" is not an IP address`);
  const families = bind === null ? familiesOf(source.value.addresses) : [familyOf(bind)];
  const destination = resolveDestination(cluster, probe.to, {
    namespace: options.namespace,
    protocol: probe.protocol,
    families,
    fromOutside: source.value.host.startsWith('external/'),
  });
  if (!destination.ok) return destination;
  const pin = resolvePin(cluster, probe.backend, options.namespace);
  if (!pin.ok) return pin;
  const { host, owner } = source.value;
  const { port, protocol } = destination.value;
  const address = orOwn(destination.value.address, bind);
  const request: ConnectionRequest = {
    host,
    owner,
    protocol,
    destination: address,
    port,
    sourcePort: probe.sourcePort ?? options.defaultSourcePort,
    sourceAddress: bind,
    payload: probe.payload,
    dontFragment: probe.dontFragment,
    ttl: probe.ttl,
    noReply: options.noReply ?? false,
  };
  return found({ request, pin: pin.value, source: source.value, destination: destination.value });
}

/** Linux takes the unspecified address as destination for the host itself: the source, or loopback (ip_route_output_key_hash). */
function orOwn(destination: IpAddress, bind: IpAddress | null): IpAddress {
  if (BigInt(destination) !== 0n) return destination;
  return bind ?? (isIpv4(destination) ? ipv4(0x7f000001) : ipv6(1n));
}

function resolvePin(cluster: Cluster, backend: string | null, namespace: string): Result<Server | null> {
  if (backend === null) return found(null);
  const server = resolveServer(cluster, backend, namespace);
  return server.ok ? server : refused(`backend: ${server.message}`);
}
