import { parseMac } from '../../net/mac.ts';
import { forgetMac } from '../device/bridge-port.ts';
import { Arguments, matchCommand } from './arguments.ts';
import { findDevice, requireDevice, withDevice } from './devices.ts';
import { ANSWER, attempt, refuse, unmodelled } from './failure.ts';
import { parseAddress } from './ip/addresses.ts';
import { readOnOff } from './on-off.ts';
import { COMMAND_ORIGIN } from './origin.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { Mac } from '../../net/mac.ts';
import type { Device } from '../device/device.ts';
import type { FdbEntry } from '../device/fdb.ts';
import type { Host } from '../host.ts';
import type { OperatorResult } from './result.ts';

/** `bridge ...`; `words` behind the program's name. */
export function bridgeCommand(host: Host, words: readonly string[]): OperatorResult {
  return attempt(() => ({ ok: true, host: runObject(host, words) }));
}

function runObject(host: Host, words: readonly string[]): Host {
  const [word, ...rest] = words;
  if (word === undefined) return refuse('Usage: bridge [ OPTIONS ] OBJECT { COMMAND | help }');
  if (word.startsWith('-')) return runObject(host, rest);
  switch (matchCommand(word, ['link', 'fdb', 'mdb', 'vlan', 'vni', 'monitor'])) {
    case 'link':
      return bridgeLink(host, rest);
    case 'fdb':
      return bridgeFdb(host, rest);
    case 'monitor':
      return host;
    case 'mdb':
    case 'vlan':
    case 'vni':
      return unmodelled(`bridge ${word}`);
    case undefined:
      return refuse(`Object "${word}" is unknown, try "bridge help".`);
  }
}

/** `bridge link set dev DEV hairpin on|off` */
function bridgeLink(host: Host, words: readonly string[]): Host {
  const [word, ...rest] = words;
  if (word === undefined || matchCommand(word, ['show', 'lst', 'list'])) return host;
  if (word !== 'set' && word !== 'change') refuse(`Command "${word}" is unknown, try "bridge link help".`);
  const args = new Arguments(rest);
  let name: string | undefined;
  let hairpin: boolean | undefined;
  while (!args.done) {
    const option = args.next();
    if (option === 'dev') name = args.next();
    else if (option === 'hairpin') hairpin = readOnOff(option, args.next());
    else unmodelled(`bridge link set ... ${option}`);
  }
  if (name === undefined) return refuse('Device is a required argument.');
  const device = findDevice(host, name) ?? refuse(`Cannot find bridge device "${name}"`);
  if (device.master === null) refuse(ANSWER.EOPNOTSUPP);
  return hairpin === undefined ? host : withDevice(host, { ...device, hairpin });
}

interface FdbWords {
  readonly device: Device;
  readonly mac: Mac;
  readonly remote: IpAddress | null;
  /** The entry belongs to the bridge of this port, not to the device itself. */
  readonly master: boolean;
}

const FDB_COMMANDS = ['add', 'append', 'replace', 'delete', 'show', 'lst', 'list', 'get', 'flush'] as const;

function bridgeFdb(host: Host, words: readonly string[]): Host {
  const [word, ...rest] = words;
  if (word === undefined) return host;
  const command = matchCommand(word, FDB_COMMANDS);
  switch (command) {
    case 'add':
    case 'append':
    case 'replace': {
      const entry = readFdb(host, rest);
      return entry.device.kind === 'vxlan' && !entry.master ? addRemote(host, entry, command) : addPort(host, entry, command);
    }
    case 'delete':
      return deleteFdb(host, readFdb(host, rest));
    case 'show':
    case 'lst':
    case 'list':
    case 'get':
      return host;
    case 'flush':
      return unmodelled('bridge fdb flush');
    case undefined:
      return refuse(`Command "${word}" is unknown, try "bridge fdb help".`);
  }
}

function readFdb(host: Host, words: readonly string[]): FdbWords {
  const args = new Arguments(words);
  let device: string | undefined;
  let mac: string | undefined;
  let remote: IpAddress | null = null;
  let master = false;
  while (!args.done) {
    const word = args.next();
    switch (word) {
      case 'dev':
        device = args.next();
        break;
      case 'dst':
        remote = parseAddress(args.next(), 'any valid address');
        break;
      case 'master':
        master = true;
        break;
      case 'self':
      case 'permanent':
      case 'local':
      case 'static':
      case 'temp':
      case 'dynamic':
        break;
      case 'port':
      case 'vni':
      case 'src_vni':
      case 'via':
      case 'vlan':
      case 'nhid':
      case 'use':
      case 'router':
      case 'extern_learn':
      case 'sticky':
        unmodelled(`bridge fdb ... ${word}`);
        break;
      default: {
        const text = word === 'to' ? args.next() : word;
        if (mac !== undefined) refuse(`Error: either "to" is duplicate, or "${text}" is a garbage.`);
        mac = text;
      }
    }
  }
  if (device === undefined || mac === undefined) return refuse('Device and address are required arguments.');
  const address = parseMac(mac) ?? refuse(`Invalid mac address ${mac}`);
  return { device: requireDevice(host, device), mac: address, remote, master };
}

/** vxlan_fdb_add: one MAC has one remote, several only by `append`. */
function addRemote(host: Host, { device, mac, remote }: FdbWords, command: 'add' | 'append' | 'replace'): Host {
  if (remote === null) return refuse(ANSWER.EINVAL);
  const isSame = (entry: FdbEntry): boolean => entry.device === device.name && entry.mac === mac;
  const there = host.fdb.filter(isSame);
  const entry: FdbEntry = { device: device.name, mac, remote, origin: COMMAND_ORIGIN };
  switch (command) {
    case 'add':
      return there.length > 0 ? refuse(ANSWER.EEXIST) : { ...host, fdb: [...host.fdb, entry] };
    case 'append':
      return there.some((other) => other.remote === remote) ? host : { ...host, fdb: [...host.fdb, entry] };
    case 'replace':
      if (/^00(:00){5}$/.test(mac)) refuse(ANSWER.EOPNOTSUPP);
      return { ...host, fdb: [...host.fdb.filter((other) => !isSame(other)), entry] };
  }
}

/** An entry of a bridge port; without `master` it goes to the device's own filter, which decides nothing here. */
function addPort(host: Host, { device, mac, master }: FdbWords, command: 'add' | 'append' | 'replace'): Host {
  if (!master) return host;
  if (device.master === null) refuse(ANSWER.EOPNOTSUPP);
  const there = host.fdb.find((entry) => entry.mac === mac && host.devices.get(entry.device)?.master === device.master);
  if (there && command === 'add') refuse(ANSWER.EEXIST);
  const entry: FdbEntry = { device: device.name, mac, remote: null, origin: COMMAND_ORIGIN };
  return { ...host, fdb: [...host.fdb.filter((other) => other !== there), entry] };
}

function deleteFdb(host: Host, { device, mac, remote, master }: FdbWords): Host {
  const gone = (entry: FdbEntry): boolean =>
    entry.device === device.name &&
    entry.mac === mac &&
    (master ? entry.remote === null : remote === null || entry.remote === remote);
  if (host.fdb.some(gone)) return { ...host, fdb: host.fdb.filter((entry) => !gone(entry)) };
  const bridge = master && device.master !== null ? host.devices.get(device.master) : undefined;
  if (bridge?.kind === 'bridge' && bridge.learnt(mac) === device.name) return withDevice(host, forgetMac(bridge, mac));
  return refuse(ANSWER.ENOENT);
}
