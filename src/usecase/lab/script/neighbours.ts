import { formatIp } from '../../../net/ip.ts';
import type { IpAddress } from '../../../net/ip.ts';
import type { Mac } from '../../../net/mac.ts';
import type { BridgeDevice, VxlanDevice } from '../../../kernel/device/device.ts';
import type { Host } from '../../../kernel/host.ts';
import type { World } from '../../../kernel/world.ts';

/** All addresses and MACs that devices of a world have. */
export interface Holders {
  readonly addresses: ReadonlySet<IpAddress>;
  readonly macs: ReadonlySet<Mac>;
}

export function holdersOf(world: World): Holders {
  const addresses = new Set<IpAddress>();
  const macs = new Set<Mac>();
  for (const name of world.hostNames()) {
    for (const device of world.host(name)?.devices.values() ?? []) {
      if (device.kind === 'loopback') continue;
      if (device.mac !== null) macs.add(device.mac);
      for (const { address } of device.addresses) addresses.add(address);
    }
  }
  return { addresses, macs };
}

/** `ip` commands that set the entries of daemons, and what warm caches have learnt of neighbours. */
export function neighbourCommands(host: Host, { addresses }: Holders): readonly string[] {
  const commands: string[] = [];
  const set = new Set<string>();
  for (const { device, address, mac } of host.neighbours.permanent()) {
    set.add(`${device} ${address}`);
    if (mac !== null) commands.push(`neigh replace ${formatIp(address)} lladdr ${mac} dev ${device} nud permanent`);
  }
  for (const device of host.devices.values()) {
    if (device.kind === 'loopback' || device.master !== null) continue;
    for (const address of addresses) {
      const entry = set.has(`${device.name} ${address}`) ? undefined : host.neighbours.get(device.name, address);
      const own = device.addresses.some((a) => a.address === address);
      if (entry?.mac && !own)
        commands.push(`neigh replace ${formatIp(address)} lladdr ${entry.mac} dev ${device.name} nud reachable`);
    }
  }
  return commands;
}

/** `bridge` commands that fill forwarding databases: remote ends of tunnels, and the ports that bridges have learnt. */
export function fdbCommands(host: Host, { macs }: Holders): readonly string[] {
  const commands: string[] = [];
  for (const { device, mac, remote } of host.fdb) {
    commands.push(
      remote === null
        ? `fdb replace ${mac} dev ${device} master static`
        : `fdb append ${mac} dev ${device} dst ${formatIp(remote)} self permanent`,
    );
  }
  for (const device of host.devices.values()) {
    if (device.kind !== 'bridge' && device.kind !== 'vxlan') continue;
    for (const mac of macs) {
      const command = device.kind === 'bridge' ? learntPort(host, device, mac) : learntRemote(device, mac);
      if (command !== null) commands.push(command);
    }
  }
  return commands;
}

function learntPort(host: Host, bridge: BridgeDevice, mac: Mac): string | null {
  const port = bridge.learnt(mac);
  return port !== undefined && host.devices.has(port) ? `fdb replace ${mac} dev ${port} master dynamic` : null;
}

function learntRemote({ name, learnt }: VxlanDevice, mac: Mac): string | null {
  const remote = learnt?.(mac);
  return remote === undefined ? null : `fdb replace ${mac} dev ${name} dst ${formatIp(remote)} self dynamic`;
}
