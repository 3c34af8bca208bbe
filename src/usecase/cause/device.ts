import { formatIp, parseIp } from '../../net/ip.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { Device, DeviceAddress } from '../../kernel/device/device.ts';
import type { Host } from '../../kernel/host.ts';
import { formatRoute } from '../../kernel/routing/format.ts';
import { TABLE_MAIN } from '../../kernel/routing/route.ts';
import type { World } from '../../kernel/world.ts';
import type { CauseCode } from '../../trace/outcome.ts';
import { causeAt, describePacket, onHost, packetAt } from './evidence.ts';
import type { Diagnose, Evidence, Site } from './evidence.ts';
import { bestRoute, holderIn } from './where.ts';

/** What a device that is not as it should be may do to a packet; null: a call failed before there was one, or it was lost in silence. */
const REASONS: readonly (string | null)[] = [
  null,
  'DEV_READY',
  'IP_INNOROUTES',
  'IP_OUTNOROUTES',
  'IP_INADDRERRORS',
  'NEIGH_FAILED',
  'OTHERHOST',
];

/** Commands for one device; with more its daemon is better started again. */
const MOST_COMMANDS = 8;

interface Place {
  readonly host: string;
  readonly device: string;
}

interface Change {
  readonly text: string;
  /** The address that the host has lost. */
  readonly address?: string;
  /** Commands on the device's host. */
  readonly remedy: readonly string[];
}

/**
 * no-route, no-route-back, no-such-address: a device on the way is gone, down, no port of its bridge any more, or has lost an address, which commands of an
 * operator did. Routes leave with their device (fib_disable_ip), so the packet may be lost far from it.
 */
export const changedDevice: Diagnose = (evidence, site) => {
  const mayBe = REASONS.includes(site.drop?.reason ?? null) || site.drop?.where === 'br_flood';
  const healthy = mayBe ? evidence.healthy() : null;
  if (!healthy) return null;
  for (const place of places(evidence, healthy, site)) {
    const [intended, host] = [healthy.host(place.host), evidence.world.host(place.host)];
    const change = intended && host && changeOf(intended, host, place.device);
    if (!change) continue;
    const packet = site.drop ? packetAt(site) : null;
    const lacksIt = change.address !== undefined && change.address === packet?.dst;
    const code: CauseCode = lacksIt ? 'no-such-address' : site.part === 'request' ? 'no-route' : 'no-route-back';
    const text = `${change.text}, so ${describePacket(packet)} is lost`;
    return causeAt(
      site,
      code,
      text,
      change.remedy.map((line) => (line.includes('  # ') ? line : onHost(place.host, line))),
    );
  }
  return null;
};

/** no-route: the device that the route leads through, or that the packet came by, is down, and was meant to be. */
export const deviceDown: Diagnose = ({ world }, site) => {
  const name = site.drop?.device;
  if (site.drop?.reason !== 'DEV_READY' || name === undefined) return null;
  const device = world.host(site.host)?.devices.get(name);
  const place = device?.kind === 'veth' && device.up ? device.peer : { host: site.host, device: name };
  const text = `${place.device} of ${place.host}, which leads on for ${describePacket(packetAt(site))}, is down`;
  const code: CauseCode = site.part === 'request' ? 'no-route' : 'no-route-back';
  return causeAt(site, code, text, [onHost(place.host, `ip link set ${place.device} up`)]);
};

/** The devices of the way as it should have been, the one nearest to the sender first. */
function* places({ request }: Evidence, healthy: World, site: Site): Generator<Place> {
  const asked = new Set<IpAddress>([request.destination]);
  for (const event of site.events.slice(0, site.index + 1)) {
    if (event.kind === 'rx' || event.kind === 'tx') yield* withPeer(healthy, event.host, event.device);
    const target = event.kind === 'encapsulate' ? event.remote : event.packet?.dst;
    const address = target === undefined ? null : parseIp(target);
    if (address === null) continue;
    asked.add(address);
    const dev = event.kind === 'route' || event.kind === 'encapsulate' ? bestRoute(healthy, event.host, address)?.dev : null;
    if (dev != null) yield* withPeer(healthy, event.host, dev);
  }
  if (site.drop?.device !== undefined) yield* withPeer(healthy, site.host, site.drop.device);
  const hop = site.drop?.detail?.address === undefined ? null : parseIp(site.drop.detail.address);
  if (hop !== null) asked.add(hop);
  for (const address of asked) {
    const there = holderIn(healthy, address);
    if (there !== null) yield there;
    if (there?.host.startsWith('pod/')) yield* withPeer(healthy, there.host, there.device);
  }
}

function* withPeer(world: World, host: string, name: string): Generator<Place> {
  yield { host, device: name };
  const device = world.host(host)?.devices.get(name);
  if (device?.kind === 'veth') yield device.peer;
}

function changeOf(intended: Host, host: Host, name: string): Change | null {
  const before = intended.devices.get(name);
  const now = host.devices.get(name);
  if (!before) return null;
  const named = `${name} of ${host.name}`;
  if (!now) return { text: `${host.name} has no device ${name} any more`, remedy: rebuilt(intended, host, before) };
  if (before.up && !now.up)
    return { text: `${named} is down`, remedy: few(name, [`ip link set ${name} up`, ...lostWith(intended, host, name)]) };
  if (before.master !== null && now.master !== before.master) {
    if (!host.devices.has(before.master)) return changeOf(intended, host, before.master);
    const hairpin = before.hairpin ? [`bridge link set dev ${name} hairpin on`] : [];
    const text = `${named} is no port of ${before.master} any more`;
    return { text, remedy: [`ip link set ${name} master ${before.master}`, ...hairpin] };
  }
  const lost = before.addresses.filter(({ address }) => !now.addresses.some((a) => a.address === address));
  if (lost.length === 0 || lost.every(({ address }) => isHeld(host, address))) return null;
  const address = formatIp(lost[0]!.address);
  const remedy = few(name, [...lost.map((address) => addAddress(name, address)), ...lostWith(intended, host, name)]);
  return { text: `${host.name} no longer has the address ${address} on ${name}`, address, remedy };
}

/** It may have moved to another device. */
function isHeld(host: Host, wanted: IpAddress): boolean {
  return [...host.devices.values()].some(({ addresses }) => addresses.some(({ address }) => address === wanted));
}

function addAddress(device: string, { address, prefix }: DeviceAddress): string {
  return `ip addr add ${formatIp(address)}/${prefix.length} dev ${device}`;
}

/** A bridge can be made again; what else a daemon has made it makes again itself. */
function rebuilt(intended: Host, host: Host, before: Device): readonly string[] {
  const { name } = before;
  if (before.kind !== 'bridge') return [restart(name)];
  const ports = [...intended.devices.values()].filter((d) => d.master === name && host.devices.has(d.name));
  return few(name, [
    `ip link add ${name}${before.mac === null ? '' : ` address ${before.mac}`} type bridge`,
    ...before.addresses.map((address) => addAddress(name, address)),
    ...ports.map((port) => `ip link set ${port.name} master ${name}`),
    `ip link set ${name} up`,
    ...lostWith(intended, host, name),
  ]);
}

function few(name: string, commands: readonly string[]): readonly string[] {
  return commands.length > MOST_COMMANDS ? [commands[0]!, restart(name)] : commands;
}

function restart(name: string): string {
  const daemon = /^(?:weave$|datapath$|vethwe|vxlan-6784$)/.test(name)
    ? 'kubectl -n kube-system rollout restart daemonset weave-net'
    : 'kubectl -n kube-flannel rollout restart daemonset kube-flannel-ds';
  return `${daemon}  # or whatever makes ${name}`;
}

/** The routes and permanent neighbours of a device that are gone and that the kernel does not make again by itself. */
function lostWith(intended: Host, host: Host, name: string): readonly string[] {
  const present = new Set([...(host.routing.tables.get(TABLE_MAIN)?.routes() ?? [])].map(formatRoute));
  const routes = [...(intended.routing.tables.get(TABLE_MAIN)?.routes() ?? [])]
    .filter((route) => route.protocol !== 'kernel' && route.nexthops.some(({ dev }) => dev === name))
    .map(formatRoute)
    .filter((route) => !present.has(route));
  const neighbours = [...intended.neighbours.permanent()]
    .filter((entry) => entry.device === name && entry.mac !== null && !host.neighbours.get(name, entry.address))
    .map((entry) => `ip neigh replace ${formatIp(entry.address)} lladdr ${entry.mac} dev ${name} nud permanent`);
  return [...routes.map((route) => `ip route add ${route}`), ...neighbours];
}
