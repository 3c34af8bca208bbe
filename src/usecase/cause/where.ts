import type { IpAddress } from '../../net/ip.ts';
import { formatRoute } from '../../kernel/routing/format.ts';
import { TABLE_MAIN } from '../../kernel/routing/route.ts';
import type { RoutingTable } from '../../kernel/routing/route.ts';
import type { World } from '../../kernel/world.ts';

/** The host and device that really hold an address; null: nobody does. */
export function holderIn(world: World, address: IpAddress): { readonly host: string; readonly device: string } | null {
  for (const host of world.holders(address)) {
    for (const device of world.host(host)?.devices.values() ?? [])
      if (device.addresses.some((a) => a.address === address)) return { host, device: device.name };
  }
  return null;
}

/** `ip route` of a host. */
export function mainTable(world: World, host: string): RoutingTable | undefined {
  return world.host(host)?.routing.tables.get(TABLE_MAIN);
}

/** The first choice for an address in a host's main table, as `ip route` prints it; null: it has no route. */
export function bestRoute(
  world: World,
  host: string,
  address: IpAddress,
): { readonly route: string; readonly dev: string | null } | null {
  for (const route of mainTable(world, host)?.lookup(address) ?? [])
    return { route: formatRoute(route), dev: route.nexthops[0]?.dev ?? null };
  return null;
}
