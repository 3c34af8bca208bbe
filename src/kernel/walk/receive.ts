import { BROADCAST_MAC } from '../../net/mac.ts';
import { bridgeReceive } from './bridge.ts';
import { ipReceive } from './ip-receive.ts';
import type { Device } from '../device/device.ts';
import type { Host } from '../host.ts';
import type { Skb } from './skb.ts';
import type { Walk } from './walk.ts';

/** netif_receive_skb: a frame arrives on a device: a bridge port hands it to its bridge, others to the IP layer. */
export function receive(walk: Walk, host: Host, name: string, skb: Skb): void {
  const device = walk.device(host, name);
  if (!device) {
    walk.drop(skb, host, 'DEV_READY', 'netif_receive_skb', { device: name });
    return;
  }
  skb.device = name;
  emitReceived(walk, host, device, skb);
  if (device.kind === 'loopback') {
    ipReceive(walk, host, device, skb);
    return;
  }
  if (device.redirect !== undefined) {
    // tcf_mirred_act
    walk.push({ kind: 'transmit', host: host.name, device: device.redirect, skb });
    return;
  }
  skb.packetType = packetTypeFor(skb, device);
  const master = device.master === null ? null : host.devices.get(device.master);
  if (master?.kind === 'bridge') bridgeReceive(walk, host, device, master, skb);
  else ipReceive(walk, host, device, skb);
}

export function emitReceived(walk: Walk, host: Host, device: Device, skb: Skb): void {
  if (!walk.recording) return;
  const { srcMac, dstMac } = skb;
  walk.emit(skb, host, {
    kind: 'rx',
    device: device.name,
    ...(srcMac && { srcMac }),
    ...(dstMac && { dstMac }),
    ...(device.origin && { origin: device.origin }),
  });
}

/** eth_type_trans: whose is a frame, by its destination MAC? */
export function packetTypeFor({ dstMac }: Skb, device: Device): Skb['packetType'] {
  if (dstMac === null || dstMac === device.mac) return 'host';
  if (dstMac === BROADCAST_MAC) return 'broadcast';
  return Number.parseInt(dstMac.slice(0, 2), 16) & 1 ? 'multicast' : 'otherhost';
}
