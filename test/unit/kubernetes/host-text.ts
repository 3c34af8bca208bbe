import { formatIp } from '../../../src/net/ip.ts';
import { compile } from '../../../src/kubernetes/compile.ts';
import { formatRoute } from '../../../src/kernel/routing/format.ts';
import type { CompileOptions } from '../../../src/kubernetes/compile.ts';
import type { Device } from '../../../src/kernel/device/device.ts';
import type { Host } from '../../../src/kernel/host.ts';
import type { IptablesTables, TableName } from '../../../src/kernel/netfilter/iptables/table.ts';
import type { World } from '../../../src/kernel/world.ts';
import type { Cluster } from '../../../src/kubernetes/model/cluster.ts';

export function world(cluster: Cluster, options: CompileOptions = {}): World {
  const result = compile(cluster, options);
  if (!result.ok) throw new Error(result.problems.map(({ message }) => message).join('\n'));
  return result.world;
}

export function host(cluster: Cluster | World, name: string): Host {
  const found = ('host' in cluster ? cluster : world(cluster)).host(name);
  if (!found) throw new Error(`no host ${name}`);
  return found;
}

export function device(of: Host, name: string): Device {
  const found = of.devices.get(name);
  if (!found) throw new Error(`no device ${name} on ${of.name}`);
  return found;
}

/** "kind name mtu MAC addresses master far-end", a device a line. */
export function devices(of: Host): string[] {
  return [...of.devices.values()].map((each) => {
    const addresses = each.addresses.map(
      ({ address, prefix, secondary }) => `${formatIp(address)}/${prefix.length}${secondary ? ' secondary' : ''}`,
    );
    const far = each.kind === 'veth' ? [`@${each.peer.host}:${each.peer.device}`] : [];
    const port = each.master === null ? [] : [`master ${each.master}${each.hairpin ? ' hairpin' : ''}`];
    return [each.kind, each.name, each.mtu, each.mac ?? '-', ...addresses, ...port, ...far].join(' ');
  });
}

export function routes(of: Host, table = 254): string[] {
  return [...(of.routing.tables.get(table)?.routes() ?? [])].map(formatRoute);
}

export function neighbours(of: Host): string[] {
  return [...of.neighbours.permanent()].map(
    ({ device: name, address, mac, state }) => `${formatIp(address)} dev ${name} lladdr ${mac} ${state}`,
  );
}

export function fdb(of: Host): string[] {
  return of.fdb.map(({ device: name, mac, remote }) => `${mac} dev ${name} dst ${remote === null ? '-' : formatIp(remote)}`);
}

export function chain(tables: IptablesTables, table: TableName, name: string): string[] {
  const found = tables.get(table)?.chain(name);
  return found ? Array.from({ length: found.length }, (_, index) => found.body(index)) : [];
}
