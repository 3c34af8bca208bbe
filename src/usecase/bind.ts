import { isLocalAddress } from '../kernel/routing/address-type.ts';
import { sysctl } from '../kernel/sysctl.ts';
import { formatIp } from '../net/ip.ts';
import type { ConnectionRequest } from '../kernel/walk/connection.ts';
import type { World } from '../kernel/world.ts';

/**
 * Why a process can't bind to its source address; null where it can. A host binds to addresses that are local to it (inet_bind:
 * EADDRNOTAVAIL), to any one with ip_nonlocal_bind.
 */
export function bindProblem(
  world: World,
  { host: name, sourceAddress }: Pick<ConnectionRequest, 'host' | 'sourceAddress'>,
): string | null {
  if (sourceAddress === null) return null;
  const host = world.host(name);
  if (host === undefined || isLocalAddress(host.routing, sourceAddress)) return null;
  if (sysctl(host.sysctls, 'net.ipv4.ip_nonlocal_bind') !== 0) return null;
  const own = [...host.devices.values()].flatMap(({ addresses }) => addresses.map(({ address }) => formatIp(address)));
  return `source address ${formatIp(sourceAddress)} is not one of ${name} (bind: Cannot assign requested address); it has ${own.join(', ')}`;
}
