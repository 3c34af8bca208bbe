import { refuse } from './failure.ts';
import type { Device } from '../device/device.ts';
import type { Host } from '../host.ts';

/** A device by its name or an alternative name. */
export function findDevice(host: Host, name: string): Device | undefined {
  return host.devices.get(name) ?? [...host.devices.values()].find(({ altNames }) => altNames?.includes(name));
}

export function requireDevice(host: Host, name: string): Device {
  return findDevice(host, name) ?? refuse(`Cannot find device "${name}"`);
}

/** The host with a device changed or added. */
export function withDevice(host: Host, device: Device): Host {
  return { ...host, devices: new Map(host.devices).set(device.name, device) };
}
