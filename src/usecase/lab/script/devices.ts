import { formatIp, isIpv4 } from '../../../net/ip.ts';
import { assertNever } from '../../../support/assert-never.ts';
import { LabError } from '../lab-error.ts';
import type { Device, VethDevice } from '../../../kernel/device/device.ts';
import type { Host, HostName } from '../../../kernel/host.ts';
import type { World } from '../../../kernel/world.ts';

/** Where devices lead that hang on a network of their own: a namespace in which nobody answers. */
export interface Nowhere {
  readonly namespace: string;
  /** Its devices, made so far. */
  readonly devices: string[];
}

/**
 * `ip` commands (without the word `ip`) that make the devices of a host. A veth pair is made by the host that comes first; `made` holds
 * the ends that exist.
 */
export function linkCommands(
  host: Host,
  world: World,
  namespaces: ReadonlyMap<HostName, string>,
  made: Set<string>,
  nowhere: Nowhere,
): readonly string[] {
  const commands: string[] = [];
  const devices = [...host.devices.values()].map(checked);
  for (const device of devices) {
    switch (device.kind) {
      case 'loopback':
        break;
      case 'veth': {
        const { peer } = device;
        if (made.has(`${peer.host} ${peer.device}`)) break;
        made.add(`${host.name} ${device.name}`);
        commands.push(vethPair(device, world, namespaces));
        break;
      }
      case 'bridge':
        commands.push(`link add ${device.name}${hardware(device)} type bridge stp_state 0 forward_delay 0`);
        break;
      case 'vxlan': {
        const lower = device.lower === null ? '' : ` dev ${device.lower}`;
        const local = device.local === null ? '' : ` local ${formatIp(device.local)}`;
        const learning = device.learning ? '' : ' nolearning';
        const df = device.df ? ' df set' : '';
        commands.push(
          `link add ${device.name}${hardware(device)} mtu ${device.mtu} type vxlan id ${device.vni}${lower}${local} dstport ${device.port}${learning}${df}`,
        );
        break;
      }
      case 'dummy':
        nowhere.devices.push(`far${nowhere.devices.length + 1}`);
        commands.push(
          `link add ${device.name}${hardware(device)} mtu ${device.mtu} type veth peer name ${nowhere.devices.at(-1)} netns ${nowhere.namespace}`,
        );
        break;
      default:
        assertNever(device);
    }
  }
  return commands;
}

/** `ip` commands that put ports on bridges, addresses on devices, and bring all up. Bridges get their MTU once the ports are there. */
export function upCommands(host: Host): readonly string[] {
  const devices = [...host.devices.values()];
  return [
    ...devices.filter(({ master }) => master !== null).map(({ name, master }) => `link set ${name} master ${master}`),
    ...devices.filter(({ kind }) => kind === 'bridge').map(({ name, mtu }) => `link set ${name} mtu ${mtu}`),
    ...devices.flatMap(addressCommands),
    ...devices.filter(({ up }) => up).map(({ name }) => `link set ${name} up`),
  ];
}

/** `bridge` commands that set the hairpin mode of ports. */
export function portCommands(host: Host): readonly string[] {
  return [...host.devices.values()]
    .filter(({ hairpin, master }) => hairpin && master !== null)
    .map(({ name }) => `link set dev ${name} hairpin on`);
}

/** `tc` commands for devices that send on by another what they receive. */
export function redirectCommands(host: Host): readonly string[] {
  return [...host.devices.values()].flatMap(({ name, redirect }) =>
    redirect === undefined
      ? []
      : [
          `qdisc add dev ${name} ingress`,
          `filter add dev ${name} parent ffff: protocol all u32 match u32 0 0 action mirred egress redirect dev ${redirect}`,
        ],
  );
}

function addressCommands({ name, kind, addresses }: Device): string[] {
  if (kind === 'loopback') return [];
  // The newest address of IPv6 comes first in the kernel's list.
  const inOrder = [
    ...addresses.filter(({ address }) => isIpv4(address)),
    ...addresses.filter(({ address }) => !isIpv4(address)).reverse(),
  ];
  return inOrder.map(({ address, prefix, broadcast, scope }) => {
    const brd = broadcast === null ? '' : ` brd ${formatIp(broadcast)}`;
    const nodad = isIpv4(address) ? '' : ' nodad';
    return `addr add ${formatIp(address)}/${prefix.length}${brd} dev ${name}${scope === 'global' ? '' : ` scope ${scope}`}${nodad}`;
  });
}

function vethPair(device: VethDevice, world: World, namespaces: ReadonlyMap<HostName, string>): string {
  const { peer } = device;
  const other = world.host(peer.host)?.devices.get(peer.device);
  const namespace = namespaces.get(peer.host);
  if (!other || !namespace) throw new LabError(`${device.name}: there is no ${peer.device} of ${peer.host} at its other end`);
  checked(other);
  return (
    `link add ${device.name}${hardware(device)} mtu ${device.mtu} type veth ` +
    `peer name ${other.name}${hardware(other)} mtu ${other.mtu} netns ${namespace}`
  );
}

function hardware({ mac }: Device): string {
  return mac === null ? '' : ` address ${mac}`;
}

/** Names go into command lines as they are. */
function checked(device: Device): Device {
  if (!/^[A-Za-z0-9][\w.@-]{0,14}$/.test(device.name))
    throw new LabError(`"${device.name}" can't be the name of a device in a lab`);
  return device;
}
