import { formatIp } from '../../net/ip.ts';
import type { Device, DeviceAddress } from '../../kernel/device/device.ts';
import type { Host } from '../../kernel/host.ts';
import type { TopologyDevice, TopologySocket } from '../../trace/topology.ts';

/** The devices of a namespace as plain data, in the order of `ip link`. */
export function devicesOf(host: Host): readonly TopologyDevice[] {
  return [...host.devices.values()].map(deviceOf);
}

function deviceOf(device: Device): TopologyDevice {
  return {
    name: device.name,
    kind: device.kind,
    up: device.up,
    mtu: device.mtu,
    mac: device.mac,
    addresses: device.addresses.map(addressText),
    master: device.master,
    hairpin: device.hairpin,
    peer: device.kind === 'veth' ? { host: device.peer.host, device: device.peer.device } : null,
    tunnel:
      device.kind === 'vxlan'
        ? {
            vni: device.vni,
            port: device.port,
            local: device.local === null ? null : formatIp(device.local),
            lower: device.lower,
          }
        : null,
    by: device.origin?.by ?? null,
  };
}

/** "10.244.0.1/24" */
function addressText({ address, prefix }: DeviceAddress): string {
  return `${formatIp(address)}/${prefix.length}`;
}

/** What listens in a namespace, each port once. */
export function socketsOf(host: Host): readonly TopologySocket[] {
  const sockets = new Map(host.listeners.map(({ protocol, port }) => [`${protocol} ${port}`, { protocol, port }]));
  return [...sockets.values()];
}
