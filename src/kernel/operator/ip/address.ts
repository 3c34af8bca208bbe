import { isIpv4 } from '../../../net/ip.ts';
import { cidrContains, cidrLast } from '../../../net/cidr.ts';
import { addAddress } from '../../device/address.ts';
import { setAddresses } from '../../device/change.ts';
import { Arguments, matchCommand } from '../arguments.ts';
import { findDevice, requireDevice } from '../devices.ts';
import { ANSWER, refuse, unmodelled } from '../failure.ts';
import { parseAddress, parsePrefix } from './addresses.ts';
import { parseScope } from './names.ts';
import type { Device, DeviceAddress } from '../../device/device.ts';
import type { Host } from '../../host.ts';
import type { WrittenPrefix } from './addresses.ts';

const COMMANDS = ['add', 'change', 'chg', 'replace', 'delete', 'show', 'list', 'lst', 'flush', 'save', 'restore'] as const;

/** `ip address ...` */
export function ipAddress(host: Host, words: readonly string[]): Host {
  const [word, ...rest] = words;
  if (word === undefined) return host;
  const args = new Arguments(rest);
  const command = matchCommand(word, COMMANDS);
  switch (command) {
    case 'add':
      return add(host, readAddress(host, args));
    case 'change':
    case 'chg':
    case 'replace':
      return replace(host, readAddress(host, args), command === 'replace');
    case 'delete':
      return remove(host, readAddress(host, args));
    case 'flush':
      return flush(host, args);
    case 'show':
    case 'list':
    case 'lst':
    case 'save':
      return host;
    case 'restore':
      return unmodelled('ip address restore');
    case undefined:
      return refuse(`Command "${word}" is unknown, try "ip address help".`);
  }
}

interface AddressWords {
  readonly device: Device;
  readonly local: WrittenPrefix;
  readonly broadcast: DeviceAddress['broadcast'];
  readonly scope: DeviceAddress['scope'];
}

function readAddress(host: Host, args: Arguments): AddressWords {
  let local: WrittenPrefix | undefined;
  let device: string | undefined;
  let broadcast: DeviceAddress['broadcast'] | '+' = null;
  let scope: DeviceAddress['scope'] | undefined;
  while (!args.done) {
    const word = args.next();
    switch (word) {
      case 'dev':
        device = args.next();
        break;
      case 'broadcast':
      case 'brd': {
        const text = args.next();
        broadcast = text === '+' ? '+' : text === '-' ? null : parseAddress(text, 'any valid address');
        break;
      }
      case 'scope':
        scope = addressScope(args.next());
        break;
      case 'label':
      case 'valid_lft':
      case 'preferred_lft':
      case 'proto':
        args.next();
        break;
      case 'noprefixroute':
      case 'peer':
      case 'remote':
      case 'anycast':
      case 'metric':
      case 'nodad':
      case 'home':
        unmodelled(`ip address ... ${word}`);
        break;
      default: {
        const text = word === 'local' ? args.next() : word;
        if (local !== undefined) refuse(`Error: either "local" is duplicate, or "${text}" is a garbage.`);
        local = parsePrefix(text);
      }
    }
  }
  if (device === undefined) return refuse('Not enough information: "dev" argument is required.');
  if (local === undefined) return refuse(ANSWER.EINVAL);
  return {
    device: requireDevice(host, device),
    local,
    broadcast: broadcast !== '+' ? broadcast : local.cidr.length < 31 ? cidrLast(local.cidr) : null,
    // iproute2 gives loopback addresses scope host unless told otherwise (default_scope).
    scope: scope ?? (local.address >>> 24 === 127 ? 'host' : 'global'),
  };
}

function addressScope(text: string): DeviceAddress['scope'] {
  const scope = parseScope(text);
  return scope === 'nowhere' ? unmodelled('an address of scope nowhere') : scope;
}

function add(host: Host, words: AddressWords): Host {
  const result = addAddress(words.device.addresses, asAddress(words));
  if (result.ok) return setAddresses(host, words.device, result.addresses);
  return refuse(result.error === 'exists' ? 'Error: ipv4: Address already assigned.' : 'Error: ipv4: Invalid scope value.');
}

/** An address that is there keeps its place; only its lifetime could change. */
function replace(host: Host, words: AddressWords, create: boolean): Host {
  const there = words.device.addresses.some((other) => isSame(other, words));
  if (there) return host;
  return create ? add(host, words) : refuse(ANSWER.ENOENT);
}

/** Takes an address away; secondaries of a primary go with it, unless promote_secondaries is on (__inet_del_ifa). */
function remove(host: Host, words: AddressWords): Host {
  const { device, local } = words;
  const target = device.addresses.find((other) => (local.withLength ? isSame(other, words) : other.address === local.address));
  if (!target) return refuse('Error: ipv4: Address not found.');
  return setAddresses(host, device, withoutAddress(device.addresses, target, promotes(host, device.name)));
}

function withoutAddress(addresses: readonly DeviceAddress[], target: DeviceAddress, promote: boolean): readonly DeviceAddress[] {
  const rest = addresses.filter((other) => other !== target);
  if (target.secondary) return rest;
  const isFollower = (other: DeviceAddress): boolean =>
    other.secondary && other.prefix.address === target.prefix.address && other.prefix.length === target.prefix.length;
  if (!promote) return rest.filter((other) => !isFollower(other));
  const heir = rest.find(isFollower);
  return rest.map((other) => (other === heir ? { ...other, secondary: false } : other));
}

function promotes(host: Host, device: string): boolean {
  return ['all', device].some((name) => Number(host.sysctls.get(`net.ipv4.conf.${name}.promote_secondaries`) ?? 0) !== 0);
}

function flush(host: Host, args: Arguments): Host {
  if (args.done) refuse('Flush requires arguments.');
  let device: string | undefined;
  const filters: ((address: DeviceAddress) => boolean)[] = [];
  while (!args.done) {
    const word = args.next();
    if (word === 'scope') {
      const scope = addressScope(args.next());
      filters.push((address) => address.scope === scope);
    } else if (word === 'to') {
      const { cidr } = parsePrefix(args.next());
      filters.push(({ address }) => cidrContains(cidr, address));
    } else if (word === 'label' || word === 'up' || word === 'permanent' || word === 'dynamic' || word === 'type') {
      unmodelled(`ip address flush ... ${word}`);
    } else {
      device = word === 'dev' ? args.next() : word;
    }
  }
  const name =
    device === undefined ? undefined : (findDevice(host, device)?.name ?? refuse(`Device "${device}" does not exist.`));
  const concerned = [...host.devices.values()].filter((candidate) => name === undefined || candidate.name === name);
  return concerned.reduce((changed, candidate) => {
    const kept = candidate.addresses.filter((address) => !isIpv4(address.address) || !filters.every((fits) => fits(address)));
    return kept.length === candidate.addresses.length ? changed : setAddresses(changed, candidate, kept);
  }, host);
}

function asAddress({ local, broadcast, scope }: AddressWords): DeviceAddress {
  return { address: local.address, prefix: local.cidr, broadcast, scope, secondary: false };
}

function isSame(other: DeviceAddress, { local }: AddressWords): boolean {
  return other.address === local.address && other.prefix.length === local.cidr.length;
}
