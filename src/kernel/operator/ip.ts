import { matchCommand } from './arguments.ts';
import { attempt, refuse, unmodelled } from './failure.ts';
import { ipAddress } from './ip/address.ts';
import { ipLink } from './ip/link.ts';
import { ipNeighbour } from './ip/neighbour.ts';
import { ipRoute } from './ip/route.ts';
import { ipRule } from './ip/rule.ts';
import { ip6Address } from './ip6/address.ts';
import { ip6Route } from './ip6/route.ts';
import { mentionsIpv6 } from './ip6/words.ts';
import type { Host } from '../host.ts';
import type { OperatorResult } from './result.ts';

/** Objects in the order in which iproute2 tries a shortened name. */
const OBJECTS = [
  'address',
  'addrlabel',
  'maddress',
  'route',
  'rule',
  'neighbor',
  'neighbour',
  'ntable',
  'link',
  'netns',
  'monitor',
] as const;

/** Options that change only the output. */
const OUTPUT_OPTIONS: readonly string[] = [
  '-4',
  '-s',
  '-stats',
  '-statistics',
  '-d',
  '-details',
  '-o',
  '-oneline',
  '-br',
  '-brief',
  '-c',
  '-color',
  '-j',
  '-json',
  '-p',
  '-pretty',
  '-t',
  '-ts',
  '-h',
  '-human',
  '-N',
  '-Numeric',
  '-r',
  '-resolve',
  '-a',
  '-all',
];

/** `ip ...`; `words` behind the program's name. */
export function ipCommand(host: Host, words: readonly string[]): OperatorResult {
  return attempt(() => ({ ok: true, host: runObject(host, words) }));
}

function runObject(host: Host, words: readonly string[], isIpv6 = false): Host {
  const [word, ...rest] = words;
  if (word === undefined) return refuse('Usage: ip [ OPTIONS ] OBJECT { COMMAND | help }');
  if (word.startsWith('-')) return runOption(host, word, rest, isIpv6);
  const speaksIpv6 = isIpv6 || mentionsIpv6(rest);
  switch (matchCommand(word, OBJECTS)) {
    case 'address':
      return speaksIpv6 ? ip6Address(host, rest) : ipAddress(host, rest);
    case 'route':
      return speaksIpv6 ? ip6Route(host, rest) : ipRoute(host, rest);
    case 'rule':
      return ipRule(host, rest, speaksIpv6 ? 6 : 4);
    case 'neighbor':
    case 'neighbour':
      return ipNeighbour(host, rest);
    case 'link':
      return ipLink(host, rest);
    case 'monitor':
      return host;
    case 'addrlabel':
    case 'maddress':
    case 'ntable':
    case 'netns':
      return unmodelled(`ip ${word}`);
    case undefined:
      return FURTHER_OBJECTS.includes(word) ? unmodelled(`ip ${word}`) : refuse(`Object "${word}" is unknown, try "ip help".`);
  }
}

const FURTHER_OBJECTS: readonly string[] = [
  'tunnel',
  'tunl',
  'tuntap',
  'tap',
  'token',
  'tcpmetrics',
  'tcp_metrics',
  'l2tp',
  'fou',
  'ila',
  'macsec',
  'mrule',
  'mroute',
  'mptcp',
  'netconf',
  'nexthop',
  'sr',
  'vrf',
  'xfrm',
  'ioam',
  'stats',
  'ntbl',
];

function runOption(host: Host, option: string, rest: readonly string[], isIpv6: boolean): Host {
  const name = option.startsWith('--') ? option.slice(1) : option;
  if (OUTPUT_OPTIONS.includes(name)) return runObject(host, rest, isIpv6 && name !== '-4');
  if (name === '-f' || name === '-family') {
    const [family, ...behind] = rest;
    if (family === 'inet6') return runObject(host, behind, true);
    return family === 'inet' ? runObject(host, behind) : unmodelled(`ip -family ${family ?? ''}`);
  }
  if (name === '-V' || name === '-Version') return host;
  if (name === '-6') return runObject(host, rest, true);
  return ['-n', '-netns', '-b', '-batch', '-force', '-0', '-B', '-M', '-l', '-loops', '-rc', '-rcvbuf', '-echo'].includes(name)
    ? unmodelled(`ip ${option}`)
    : refuse(`Option "${option}" is unknown, try "ip -help".`);
}
