import { parseMac } from '../../../net/mac.ts';
import { adjustBridgeMtu, setMaster } from '../../device/bridge-port.ts';
import { removeDevice, setDown, setUp } from '../../device/change.ts';
import { DEVICE_NAME_MAX, PLAIN_DEVICE } from '../../device/build.ts';
import { inheritedSysctls } from '../../sysctl-write.ts';
import { withoutNeighbours } from '../../neighbour/table.ts';
import { Arguments, matchCommand, numberFor, wrong } from '../arguments.ts';
import { findDevice, requireDevice, withDevice } from '../devices.ts';
import { ANSWER, refuse, unmodelled } from '../failure.ts';
import { COMMAND_ORIGIN } from '../origin.ts';
import { readOnOff } from '../on-off.ts';
import type { Device } from '../../device/device.ts';
import type { Host } from '../../host.ts';

const COMMANDS = ['add', 'set', 'change', 'replace', 'delete', 'show', 'lst', 'list', 'xstats', 'afstats', 'property'] as const;

/** Options with a value that decide nothing here. */
const WITHOUT_EFFECT: readonly string[] = [
  'txqueuelen',
  'qlen',
  'txqlen',
  'alias',
  'group',
  'promisc',
  'allmulticast',
  'multicast',
  'numtxqueues',
  'numrxqueues',
];

/** `ip link ...` */
export function ipLink(host: Host, words: readonly string[]): Host {
  const [word, ...rest] = words;
  if (word === undefined) return host;
  const args = new Arguments(rest);
  const command = matchCommand(word, COMMANDS);
  switch (command) {
    case 'add':
      return addLink(host, args);
    case 'set':
    case 'change':
      return setLink(host, args);
    case 'delete':
      return deleteLink(host, args);
    case 'show':
    case 'lst':
    case 'list':
    case 'xstats':
    case 'afstats':
      return host;
    case 'replace':
    case 'property':
      return unmodelled(`ip link ${command}`);
    case undefined:
      return refuse(`Command "${word}" is unknown, try "ip link help".`);
  }
}

/** `ip link set [dev] DEV ...`: up and down come last, whatever their place (iplink_modify sends one request). */
function setLink(host: Host, args: Arguments): Host {
  if (args.done) refuse('Not enough information: "dev" argument is required.');
  args.take('dev');
  const { name } = requireDevice(host, args.next());
  let changed = host;
  let up: boolean | undefined;
  const device = (): Device => requireDevice(changed, name);
  while (!args.done) {
    const word = args.next();
    switch (word) {
      case 'up':
        up = true;
        break;
      case 'down':
        up = false;
        break;
      case 'mtu':
        changed = setMtu(changed, device(), numberFor(args.next(), 'Invalid "mtu" value\n'));
        break;
      case 'address':
        changed = setMac(changed, device(), args.next());
        break;
      case 'master':
        changed = setMaster(changed, device(), requireBridge(changed, args.next(), device()));
        break;
      case 'nomaster':
        changed = setMaster(changed, device(), null);
        break;
      case 'type':
        changed = setType(changed, device(), args);
        break;
      case 'name':
      case 'netns':
      case 'arp':
      case 'dynamic':
      case 'vf':
      case 'xdp':
      case 'vrf':
      case 'addrgenmode':
      case 'protodown':
        unmodelled(`ip link set ... ${word}`);
        break;
      default:
        if (!WITHOUT_EFFECT.includes(word)) refuse(`Error: either "dev" is duplicate, or "${word}" is a garbage.`);
        args.next();
    }
  }
  if (up === undefined) return changed;
  return up ? setUp(changed, device()) : setDown(changed, device());
}

/** `type bridge_slave hairpin on|off`; other settings of a type are not modelled. */
function setType(host: Host, device: Device, args: Arguments): Host {
  const type = args.next();
  if (type !== 'bridge_slave') return unmodelled(`ip link set ... type ${type}`);
  let changed = device;
  while (!args.done) {
    const word = args.next();
    if (word !== 'hairpin') return unmodelled(`ip link set ... type bridge_slave ${word}`);
    if (device.master === null) refuse(ANSWER.EOPNOTSUPP);
    changed = { ...changed, hairpin: readOnOff('hairpin', args.next()) };
  }
  return withDevice(host, changed);
}

function setMtu(host: Host, device: Device, mtu: number): Host {
  if (mtu < 68 && device.kind !== 'loopback') refuse('Error: mtu less than device minimum.');
  if (mtu > 65535 && device.kind !== 'loopback') refuse('Error: mtu greater than device maximum.');
  if (device.kind === 'vxlan') {
    // vxlan_change_mtu: what the lower device can carry less IP, UDP, VXLAN and Ethernet headers.
    const lower = device.lower === null ? undefined : host.devices.get(device.lower);
    if (lower && mtu > lower.mtu - 50) refuse(ANSWER.EINVAL);
  }
  if (device.kind === 'bridge') return withDevice(host, { ...device, mtu, mtuFixed: true });
  const changed = withDevice(host, { ...device, mtu });
  return device.master === null ? changed : adjustBridgeMtu(changed, device.master);
}

function setMac(host: Host, device: Device, text: string): Host {
  const mac = parseMac(text);
  if (mac === null) return refuse(`"${text}" is invalid lladdr.`);
  if (device.kind === 'loopback') refuse(ANSWER.EOPNOTSUPP);
  const before = host.neighbours;
  // neigh_changeaddr: what the device had learnt is forgotten, permanent entries stay.
  const neighbours = withoutNeighbours(
    before,
    (name, address) => name === device.name && before.get(name, address)?.state !== 'permanent',
  );
  return withDevice({ ...host, neighbours }, { ...device, mac });
}

function requireBridge(host: Host, name: string, port: Device): string {
  const bridge = findDevice(host, name);
  if (!bridge) return wrong(name, 'Device does not exist\n');
  if (bridge.kind !== 'bridge') refuse(ANSWER.EOPNOTSUPP);
  if (port.kind === 'loopback' || port.kind === 'bridge') refuse(ANSWER.EINVAL);
  return bridge.name;
}

function deleteLink(host: Host, args: Arguments): Host {
  args.take('dev');
  const device = requireDevice(host, args.next());
  if (!args.done && !args.take('type')) refuse(`Error: either "dev" is duplicate, or "${args.next()}" is a garbage.`);
  if (device.kind === 'loopback') refuse(ANSWER.EOPNOTSUPP);
  // A tunnel does not outlive the device under it (vxlan_lowerdev_event).
  const tunnels = [...host.devices.values()].filter((other) => other.kind === 'vxlan' && other.lower === device.name);
  return [...tunnels, device].reduce((changed, gone) => removeDevice(changed, gone), host);
}

/** `ip link add [name] NAME type dummy|bridge`; a new device is down and has no address. */
function addLink(host: Host, args: Arguments): Host {
  let name: string | undefined;
  let mtu = 1500;
  let mac: string | undefined;
  let type: string | undefined;
  while (!args.done && type === undefined) {
    const word = args.next();
    if (word === 'type') type = args.next();
    else if (word === 'mtu') mtu = numberFor(args.next(), 'Invalid "mtu" value\n');
    else if (word === 'address') mac = args.next();
    else if (word === 'link' || word === 'index' || word === 'netns') unmodelled(`ip link add ... ${word}`);
    else if (WITHOUT_EFFECT.includes(word)) args.next();
    else name = word === 'name' || word === 'dev' ? args.next() : word;
  }
  if (type === undefined) refuse('Not enough information: "type" argument is required');
  if (type !== 'dummy' && type !== 'bridge') return unmodelled(`ip link add ... type ${type}`);
  if (!args.done) unmodelled(`ip link add ... type ${type} ${args.next()}`);
  if (name === undefined) return unmodelled('ip link add without a name');
  if (name.length > DEVICE_NAME_MAX || /[\s/]/.test(name))
    refuse(`Error: argument "${name}" is wrong: "name" not a valid ifname\n`);
  if (findDevice(host, name)) refuse(ANSWER.EEXIST);
  const common = { ...PLAIN_DEVICE, up: false, name, mtu, mac: mac === undefined ? null : parseMac(mac), origin: COMMAND_ORIGIN };
  const device: Device = type === 'dummy' ? { ...common, kind: 'dummy' } : { ...common, kind: 'bridge', learnt: () => undefined };
  const sysctls = new Map([...host.sysctls, ...inheritedSysctls(host.sysctls, name)]);
  return withDevice({ ...host, sysctls }, device);
}
