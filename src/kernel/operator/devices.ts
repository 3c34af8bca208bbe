import { refuse } from './failure.ts';
import type { Device } from '../device/device.ts';
import type { Host } from '../host.ts';

export function requireDevice(host: Host, name: string): Device {
  return host.devices.get(name) ?? refuse(`Cannot find device "${name}"`);
}

/** The host with a device changed or added. */
export function withDevice(host: Host, device: Device): Host {
  return { ...host, devices: new Map(host.devices).set(device.name, device) };
}
