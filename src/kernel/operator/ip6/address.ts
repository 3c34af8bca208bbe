import { isIpv4 } from '../../../net/ip.ts';
import { addAddress } from '../../device/address.ts';
import { setAddresses } from '../../device/change.ts';
import { Arguments, matchCommand } from '../arguments.ts';
import { requireDevice } from '../devices.ts';
import { refuse, unmodelled } from '../failure.ts';
import { hasIpv6, parsePrefix6 } from './words.ts';
import type { Device, DeviceAddress } from '../../device/device.ts';
import type { Host } from '../../host.ts';

const COMMANDS = ['add', 'change', 'chg', 'replace', 'delete', 'show', 'list', 'lst', 'flush'] as const;

/** `ip -6 address ...` (inet6_addr_add, inet6_addr_del): addresses are there at once, as with `nodad`. */
export function ip6Address(host: Host, words: readonly string[]): Host {
  const [word, ...rest] = words;
  if (word === undefined) return host;
  const command = matchCommand(word, COMMANDS);
  const args = new Arguments(rest);
  switch (command) {
    case 'show':
    case 'list':
    case 'lst':
      return host;
    case 'add':
    case 'replace':
    case 'change':
    case 'chg':
      return add(host, readAddress(host, args), command);
    case 'delete':
      return remove(host, readAddress(host, args));
    case 'flush': {
      args.take('dev');
      const device = requireDevice(host, args.next());
      if (!args.done) unmodelled(`ip -6 address flush ... ${args.next()}`);
      return setAddresses(
        host,
        device,
        device.addresses.filter(({ address }) => isIpv4(address)),
      );
    }
    case undefined:
      return refuse(`Command "${word}" is unknown, try "ip address help".`);
  }
}

interface AddressWords {
  readonly device: Device;
  readonly wanted: DeviceAddress;
}

function readAddress(host: Host, args: Arguments): AddressWords {
  let device: string | undefined;
  let local: string | undefined;
  let scope: DeviceAddress['scope'] = 'global';
  while (!args.done) {
    const word = args.next();
    if (word === 'dev') device = args.next();
    else if (word === 'nodad' || word === 'noprefixroute') {
      if (word === 'noprefixroute') unmodelled('ip -6 address ... noprefixroute');
    } else if (word === 'scope') {
      const text = args.next();
      scope =
        text === 'link' || text === 'host' || text === 'global'
          ? text
          : refuse(`Error: argument "${text}" is wrong: invalid scope value.`);
    } else if (word === 'valid_lft' || word === 'preferred_lft') args.next();
    else if (local === undefined) local = word === 'local' ? args.next() : word;
    else refuse(`Error: either "local" is duplicate, or "${word}" is a garbage.`);
  }
  if (device === undefined) return refuse('Not enough information: "dev" argument is required.');
  const { address, cidr } = parsePrefix6(local ?? '');
  return { device: requireDevice(host, device), wanted: { address, prefix: cidr, broadcast: null, scope, secondary: false } };
}

function add(host: Host, { device, wanted }: AddressWords, command: string): Host {
  const isThere = device.addresses.some(({ address }) => address === wanted.address);
  if (isThere) return command === 'add' ? refuse('Error: ipv6: address already assigned.') : host;
  if (command !== 'add' && command !== 'replace') return refuse('Error: ipv6: address not found.');
  if (!hasIpv6(host)) return refuse('Error: ipv6: IPv6 is disabled on this device.');
  const result = addAddress(device.addresses, wanted);
  return result.ok ? setAddresses(host, device, result.addresses) : refuse('Error: ipv6: address already assigned.');
}

function remove(host: Host, { device, wanted }: AddressWords): Host {
  const left = device.addresses.filter(
    ({ address, prefix }) => address !== wanted.address || prefix.length !== wanted.prefix.length,
  );
  return left.length === device.addresses.length ? refuse('Error: ipv6: address not found.') : setAddresses(host, device, left);
}
