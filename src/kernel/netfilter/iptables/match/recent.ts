import { formatIp, isIpv4, ipv4, ipv6, parseIp } from '../../../../net/ip.ts';
import { exactlyOne, invalidArgument, RuleError, wordOf } from '../option.ts';
import { join, not, numberOf } from '../value.ts';
import type { IpAddress } from '../../../../net/ip.ts';
import type { GivenOptions } from '../option.ts';
import type { MatchModule } from './module.ts';

/** Module parameters of xt_recent: addresses a list remembers, time stamps an address keeps. */
const LIST_SIZE = 100;
const STAMPS = 20;

const MISSING = "recent: you must specify one of `--set', `--rcheck' `--update' or `--remove'";

interface Entry {
  /** Milliseconds, oldest first. */
  readonly stamps: number[];
  ttl: number;
}

/** Addresses in order of their last use. */
type RecentList = Map<IpAddress, Entry>;

interface Settings {
  readonly action: string;
  readonly negated: boolean;
  readonly seconds: number;
  readonly hitcount: number;
  readonly reap: boolean;
  readonly rttl: boolean;
  readonly name: string;
  readonly mask: IpAddress;
  readonly destination: boolean;
}

/** Lists of addresses by name, filled and asked by rules (xt_recent.c recent_mt). */
export const recent: MatchModule = {
  name: 'recent',
  stateful: true,
  options: [
    { name: 'set', args: 0, negatable: true },
    { name: 'rcheck', args: 0, negatable: true },
    { name: 'update', args: 0, negatable: true },
    { name: 'remove', args: 0, negatable: true },
    { name: 'seconds' },
    { name: 'hitcount' },
    { name: 'reap', args: 0 },
    { name: 'rttl', args: 0 },
    { name: 'name' },
    { name: 'mask' },
    { name: 'rsource', args: 0 },
    { name: 'rdest', args: 0 },
  ],
  build(given, { family }) {
    const settings = settingsOf(given, family);
    const { action, negated, seconds, hitcount, reap, rttl, name, mask, destination } = settings;
    return {
      text: join(
        `${not(negated)}--${action}`,
        seconds > 0 && `--seconds ${seconds}`,
        reap && '--reap',
        hitcount > 0 && `--hitcount ${hitcount}`,
        rttl && '--rttl',
        `--name ${name}`,
        `--mask ${formatIp(mask)}`,
        destination ? '--rdest' : '--rsource',
      ),
      test: (context) => {
        const { packet, outDevice, socket, now } = context;
        const list = context.moduleState<RecentList>(`recent:${name}`, () => new Map());
        const address = masked(destination ? packet.dst : packet.src, mask);
        // The kernel means the TTL as it came in: a forwarded packet has lost one.
        const ttl = outDevice !== null && socket === null ? packet.ttl + 1 : packet.ttl;
        return run(settings, list, address, ttl, now) !== negated;
      },
    };
  },
};

function settingsOf(given: GivenOptions, family: 4 | 6): Settings {
  const action = exactlyOne(given, 'recent', ['set', 'rcheck', 'update', 'remove'], MISSING);
  if (given.has('rsource') && given.has('rdest')) throw new RuleError('recent: --rsource and --rdest exclude each other');
  const number = (name: string) => (given.has(name) ? numberOf(wordOf(given, name), 'recent', name, 1) : 0);
  const checks = action.name === 'rcheck' || action.name === 'update';
  if ((given.has('seconds') || given.has('hitcount') || given.has('rttl')) && !checks) {
    throw invalidArgument();
  }
  if (given.has('reap') && !given.has('seconds')) throw new RuleError('recent: option "--reap" also requires "--seconds".');
  const maskText = wordOf(given, 'mask');
  const mask = maskText === '' ? (family === 4 ? ipv4(-1) : ipv6(-1n)) : parseIp(maskText);
  if (mask === null || isIpv4(mask) !== (family === 4)) throw new RuleError('recent: bad value for option "--mask"');
  return {
    action: action.name,
    negated: action.negated,
    seconds: number('seconds'),
    hitcount: number('hitcount'),
    reap: given.has('reap'),
    rttl: given.has('rttl'),
    name: wordOf(given, 'name') || 'DEFAULT',
    mask,
    destination: given.has('rdest'),
  };
}

function masked(address: IpAddress, mask: IpAddress): IpAddress {
  return isIpv4(address) ? ipv4(address & (mask as number)) : ipv6(address & (mask as bigint));
}

function run(settings: Settings, list: RecentList, address: IpAddress, ttl: number, now: number): boolean {
  const { action } = settings;
  const found = list.get(address);
  const entry = found && (!settings.rttl || found.ttl === ttl) ? found : undefined;
  if (!entry) {
    if (action !== 'set') return false;
    if (list.size >= LIST_SIZE) list.delete(list.keys().next().value!);
    list.set(address, { stamps: [now], ttl });
    return true;
  }
  if (action === 'remove') return list.delete(address);
  const hit = action === 'set' || checked(settings, entry, now);
  const updates = action === 'set' || (action === 'update' && hit);
  if (settings.reap) reap(list, entry, now - settings.seconds * 1000, updates);
  if (updates) {
    entry.ttl = ttl;
    entry.stamps.push(now);
    if (entry.stamps.length > Math.max(STAMPS, settings.hitcount)) entry.stamps.shift();
    list.delete(address);
    list.set(address, entry);
  }
  return hit;
}

function checked({ seconds, hitcount }: Settings, { stamps }: Entry, now: number): boolean {
  const fresh = seconds > 0 ? stamps.filter((stamp) => stamp >= now - seconds * 1000).length : stamps.length;
  return fresh >= Math.max(1, hitcount);
}

/** Drops the least recently used entry when it is older than the window (recent_entry_reap), unless it is about to be renewed. */
function reap(list: RecentList, working: Entry, since: number, updates: boolean): void {
  const oldest = list.entries().next().value;
  if (!oldest || (oldest[1] === working && updates)) return;
  if (oldest[1].stamps.at(-1)! < since) list.delete(oldest[0]);
}
