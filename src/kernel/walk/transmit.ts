import { bridgeTransmit } from './bridge.ts';
import { cloneSkb, scrub, VLAN_SLACK } from './skb.ts';
import { vxlanTransmit } from './vxlan.ts';
import type { Device, VethDevice } from '../device/device.ts';
import type { Host } from '../host.ts';
import type { Skb } from './skb.ts';
import type { Walk } from './walk.ts';

/** dev_queue_xmit: a frame with its MACs leaves by a device. */
export function transmitFrame(walk: Walk, host: Host, name: string, skb: Skb): void {
  const device = walk.device(host, name);
  if (!device) {
    walk.drop(skb, host, 'DEV_READY', 'dev_queue_xmit', { device: name });
    return;
  }
  emitSent(walk, host, device, skb);
  switch (device.kind) {
    case 'loopback':
      // The routing decision and the conntrack entry go along (loopback_xmit).
      skb.packetType = 'host';
      walk.push({ kind: 'receive', host: host.name, device: device.name, skb });
      return;
    case 'veth':
      vethTransmit(walk, host, device, skb);
      return;
    case 'bridge':
      bridgeTransmit(walk, host, device, skb);
      return;
    case 'vxlan':
      vxlanTransmit(walk, host, device, skb);
      return;
    case 'dummy':
      walk.drop(skb, host, 'NOT_SPECIFIED', 'dummy_xmit', { device: device.name });
  }
}

function emitSent(walk: Walk, host: Host, device: Device, skb: Skb): void {
  if (!walk.recording) return;
  const { srcMac, dstMac } = skb;
  walk.emit(skb, host, {
    kind: 'tx',
    device: device.name,
    ...(srcMac && { srcMac }),
    ...(dstMac && { dstMac }),
    ...(device.origin && { origin: device.origin }),
  });
}

/** veth_xmit: the frame comes out of the other end; one that is larger than that end's MTU is lost without a word. */
function vethTransmit(walk: Walk, host: Host, device: VethDevice, skb: Skb): void {
  const { peer } = device;
  const there = walk.world.host(peer.host);
  const end = there?.devices.get(peer.device);
  if (!there || !end?.up) {
    walk.drop(skb, host, 'DEV_READY', 'veth_xmit', { device: device.name });
    return;
  }
  if (skb.packet.length > end.mtu + VLAN_SLACK) {
    walk.drop(skb, host, 'PKT_TOO_BIG', '__dev_forward_skb2', { device: device.name, detail: { mtu: String(end.mtu) } });
    return;
  }
  const arriving = cloneSkb(skb);
  scrub(arriving, peer.host !== host.name);
  walk.push({ kind: 'receive', host: peer.host, device: peer.device, skb: arriving });
}
