import { cidrContains } from '../../../net/cidr.ts';
import { parseIpv6 } from '../../../net/ip.ts';
import { withNeighbour, withoutNeighbours } from '../../neighbour/table.ts';
import { Arguments, matchCommand } from '../arguments.ts';
import { requireDevice } from '../devices.ts';
import { ANSWER, refuse, unmodelled } from '../failure.ts';
import { COMMAND_ORIGIN } from '../origin.ts';
import { parseAddress, parseLinkAddress, parsePrefix } from './addresses.ts';
import type { IpAddress } from '../../../net/ip.ts';
import type { Mac } from '../../../net/mac.ts';
import type { Host } from '../../host.ts';
import type { NeighbourEntry } from '../../neighbour/neighbour.ts';

const COMMANDS = ['add', 'change', 'chg', 'replace', 'delete', 'get', 'show', 'list', 'lst', 'flush'] as const;

/** `ip neighbour ...` */
export function ipNeighbour(host: Host, words: readonly string[]): Host {
  const [word, ...rest] = words;
  if (word === undefined) return host;
  const args = new Arguments(rest);
  const command = matchCommand(word, COMMANDS);
  switch (command) {
    case 'add':
    case 'replace':
      return set(host, readEntry(host, args), command);
    case 'change':
    case 'chg':
      return set(host, readEntry(host, args), 'change');
    case 'delete':
      return remove(host, readEntry(host, args));
    case 'flush':
      return flush(host, args);
    case 'get':
    case 'show':
    case 'list':
    case 'lst':
      return host;
    case undefined:
      return refuse(`Command "${word}" is unknown, try "ip neigh help".`);
  }
}

interface EntryWords {
  readonly device: string;
  readonly address: IpAddress;
  readonly mac: Mac | null;
  readonly state: NeighbourEntry['state'];
}

function readEntry(host: Host, args: Arguments): EntryWords {
  let device: string | undefined;
  let address: string | undefined;
  let mac: string | undefined;
  let state: NeighbourEntry['state'] = 'permanent';
  while (!args.done) {
    const word = args.next();
    switch (word) {
      case 'dev':
        device = args.next();
        break;
      case 'lladdr':
        mac = args.next();
        break;
      case 'nud':
        state = readState(args.next());
        break;
      case 'proxy':
      case 'router':
      case 'extern_learn':
      case 'managed':
        unmodelled(`ip neigh ... ${word}`);
        break;
      case 'protocol':
        args.next();
        break;
      default: {
        const text = word === 'to' ? args.next() : word;
        if (address !== undefined) refuse(`Error: either "to" is duplicate, or "${text}" is a garbage.`);
        address = text;
      }
    }
  }
  if (device === undefined || address === undefined) return refuse('Device and destination are required arguments.');
  const ip = parseIpv6(address) ?? parseAddress(address, 'any valid address');
  const { name } = requireDevice(host, device);
  return { device: name, address: ip, mac: mac === undefined ? null : parseLinkAddress(mac), state };
}

function readState(text: string): NeighbourEntry['state'] {
  switch (text) {
    case 'permanent':
    case 'noarp':
    case 'reachable':
    case 'failed':
      return text;
    case 'stale':
    case 'delay':
    case 'probe':
      return 'reachable';
    case 'incomplete':
      return 'failed';
    case 'none':
      return unmodelled('ip neigh ... nud none');
    default:
      return refuse(`Error: argument "${text}" is wrong: nud state is bad`);
  }
}

function set(host: Host, words: EntryWords, mode: 'add' | 'replace' | 'change'): Host {
  const there = host.neighbours.get(words.device, words.address);
  if (mode === 'add' && there) refuse(ANSWER.EEXIST);
  if (mode === 'change' && !there) refuse(ANSWER.ENOENT);
  const mac = words.mac ?? there?.mac ?? null;
  if (mac === null && words.state !== 'failed') refuse('Error: No link layer address given.');
  const { device, address, state } = words;
  const entry: NeighbourEntry = { device, address, mac: state === 'failed' ? null : mac, state, origin: COMMAND_ORIGIN };
  return { ...host, neighbours: withNeighbour(host.neighbours, entry) };
}

function remove(host: Host, words: EntryWords): Host {
  if (!host.neighbours.get(words.device, words.address)) refuse(ANSWER.ENOENT);
  return {
    ...host,
    neighbours: withoutNeighbours(host.neighbours, (device, address) => device === words.device && address === words.address),
  };
}

/** Forgets what was learnt; permanent entries stay unless `nud permanent` (or `all`) asks for them. */
function flush(host: Host, args: Arguments): Host {
  if (args.done) refuse('Flush requires arguments.');
  const before = host.neighbours;
  let permanentToo = false;
  const filters: ((device: string, address: IpAddress) => boolean)[] = [];
  while (!args.done) {
    const word = args.next();
    if (word === 'dev') {
      const { name } = requireDevice(host, args.next());
      filters.push((device) => device === name);
    } else if (word === 'nud') {
      const state = args.next();
      if (state === 'all' || state === 'permanent') permanentToo = true;
      if (state !== 'all') {
        const wanted = readState(state);
        filters.push((device, address) => before.get(device, address)?.state === wanted);
      }
    } else if (word !== 'all' && word !== 'any') {
      const { cidr } = parsePrefix(word === 'to' ? args.next() : word);
      filters.push((_, address) => cidrContains(cidr, address));
    }
  }
  const isKept = (device: string, address: IpAddress): boolean => {
    const state = before.get(device, address)?.state;
    return !permanentToo && (state === 'permanent' || state === 'noarp');
  };
  return {
    ...host,
    neighbours: withoutNeighbours(
      before,
      (device, address) => !isKept(device, address) && filters.every((f) => f(device, address)),
    ),
  };
}
