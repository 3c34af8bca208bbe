import type { Host } from '../host.ts';
import type { BridgeDevice, Device } from './device.ts';

/** The host with a device as port of a bridge, or of none (null). What the bridge knew behind the old port is forgotten. */
export function setMaster(host: Host, device: Device, master: string | null): Host {
  const devices = new Map(host.devices).set(device.name, { ...device, master, hairpin: false });
  const left = device.master === null || device.master === master ? undefined : devices.get(device.master);
  if (left?.kind === 'bridge') devices.set(left.name, forgetPort(left, device.name));
  let changed: Host = {
    ...host,
    devices,
    fdb: host.fdb.filter((entry) => entry.device !== device.name || entry.remote !== null),
  };
  for (const name of new Set([device.master, master])) if (name !== null) changed = adjustBridgeMtu(changed, name);
  return changed;
}

/** A bridge takes the smallest MTU of its ports while nobody has set its own (br_mtu_auto_adjust, net/bridge/br_if.c). */
export function adjustBridgeMtu(host: Host, name: string): Host {
  const bridge = host.devices.get(name);
  if (bridge?.kind !== 'bridge' || bridge.mtuFixed) return host;
  const ports = [...host.devices.values()].filter(({ master }) => master === name);
  const mtu = ports.length === 0 ? 1500 : Math.min(...ports.map((port) => port.mtu));
  return { ...host, devices: new Map(host.devices).set(name, { ...bridge, mtu }) };
}

/** The bridge without a MAC that it has learnt. */
export function forgetMac(bridge: BridgeDevice, mac: string): BridgeDevice {
  const { learnt } = bridge;
  return { ...bridge, learnt: (wanted) => (wanted === mac ? undefined : learnt(wanted)) };
}

function forgetPort(bridge: BridgeDevice, port: string): BridgeDevice {
  const { learnt } = bridge;
  return {
    ...bridge,
    learnt: (mac) => {
      const found = learnt(mac);
      return found === port ? undefined : found;
    },
  };
}
