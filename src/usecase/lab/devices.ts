import type { World } from '../../kernel/world.ts';
import type { DeviceEvent, KernelEvent } from '../../trace/event.ts';
import type { Part } from '../../trace/outcome.ts';
import type { Observation } from './observation.ts';
import type { Sorter } from './parts.ts';

/** A frame as far as it tells whom it is for. */
type AddressedFrame = Pick<DeviceEvent, 'host' | 'kind' | 'device'> & { readonly dstMac?: string };

/** True for a frame that a bridge has flooded to somebody whom it is not for, there and at the other end of the cable. */
export type IsFlooded = (frame: AddressedFrame) => boolean;

export function floodedFrames(world: World): IsFlooded {
  return ({ host, kind, device, dstMac }) => {
    const here = world.host(host)?.devices.get(device);
    if (dstMac === undefined || here?.kind !== 'veth') return false;
    const port = kind === 'tx' ? world.host(here.peer.host)?.devices.get(here.peer.device) : here;
    return port !== undefined && port.master === null && port.redirect === undefined && port.mac !== null && port.mac !== dstMac;
  };
}

/**
 * What passed the devices of each host, a line a packet: "tx flannel.1 10.244.1.0 > 10.244.2.2 ttl 62". Ports are left out: many are
 * drawn at random. What a bridge sends through its own device is left out as well: whether a bridged packet shows there depends on the
 * neighbour's cached header, and the port that it leaves by tells the same. So is what is flooded to others: the simulation does not follow it. Of a
 * fragmented packet the first fragment counts.
 */
export function simulatedDevices(events: readonly KernelEvent[], isFlooded: IsFlooded): Map<string, string[]> {
  const lines = new Map<string, string[]>();
  for (const event of events) {
    if (
      (event.kind === 'tx' || event.kind === 'rx') &&
      event.packet &&
      !isBridgeTx(event.kind, event.device) &&
      !isFlooded(event)
    ) {
      const { src, dst, ttl, fragment } = event.packet;
      if (fragment && fragment.offset > 0) continue;
      add(lines, event.host, line(event, src, dst, ttl, event.outer === true));
    }
  }
  return lines;
}

export function observedDevices(
  { frames }: Observation,
  sorter: Sorter,
  part: Part,
  isFlooded: IsFlooded,
): Map<string, string[]> {
  const lines = new Map<string, string[]>();
  for (const frame of frames) {
    const belonging = sorter.ofFrame(frame);
    if (belonging?.part !== part || isBridgeTx(frame.kind, frame.device) || isFlooded(frame)) continue;
    const { src, dst, ttl, fragment } = frame.packet;
    if (fragment && fragment.offset > 0) continue;
    add(lines, frame.host, line(frame, src, dst, ttl, belonging.outer));
  }
  return lines;
}

function line(
  { kind, device }: Pick<DeviceEvent, 'kind' | 'device'>,
  src: string,
  dst: string,
  ttl: number,
  outer: boolean,
): string {
  return `${outer ? '^' : ''}${kind} ${device} ${src} > ${dst} ttl ${ttl}`;
}

function isBridgeTx(kind: 'tx' | 'rx', device: string): boolean {
  return kind === 'tx' && /^(?:(?:cni|br|docker)\d+|weave)$/.test(device);
}

function add(lines: Map<string, string[]>, host: string, text: string): void {
  const list = lines.get(host);
  if (list) list.push(text);
  else lines.set(host, [text]);
}
