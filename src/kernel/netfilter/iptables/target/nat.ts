import { PROTOCOL_NUMBER } from '../../../../net/protocol.ts';
import { cidrOf, formatCidr } from '../../../../net/cidr.ts';
import { formatIp, isIpv4, parseIp } from '../../../../net/ip.ts';
import { hostMaskOf, prefixLength } from '../host-mask.ts';
import { RuleError, wordOf } from '../option.ts';
import { join, parseNumber, portOf } from '../value.ts';
import type { IpAddress } from '../../../../net/ip.ts';
import type { NatRange } from '../../nat/range.ts';
import type { RuleScope } from '../match/module.ts';
import type { GivenOptions, OptionSpec } from '../option.ts';
import type { TargetModule } from './module.ts';

/** Protocols whose ports NAT can set: tcp, udp, sctp, dccp, udplite. */
const WITH_PORTS: readonly number[] = [PROTOCOL_NUMBER.tcp, PROTOCOL_NUMBER.udp, PROTOCOL_NUMBER.sctp, 33, 136];
const FLAG = {
  random: { name: 'random', args: 0 },
  randomFully: { name: 'random-fully', args: 0 },
  persistent: { name: 'persistent', args: 0 },
} as const;

interface Bounds {
  readonly minAddress: IpAddress | null;
  readonly maxAddress: IpAddress | null;
  readonly minPort: number | null;
  readonly maxPort: number | null;
}

const NO_BOUNDS: Bounds = { minAddress: null, maxAddress: null, minPort: null, maxPort: null };

/** New destination (xt_nat.c xt_dnat_target_v2). */
const dnat = addressTarget('DNAT', 'dnat', 'to-destination', ['PREROUTING', 'OUTPUT'], [FLAG.random, FLAG.persistent]);
/** New source (xt_nat.c xt_snat_target_v1). */
const snat = addressTarget(
  'SNAT',
  'snat',
  'to-source',
  ['POSTROUTING', 'INPUT'],
  [FLAG.random, FLAG.randomFully, FLAG.persistent],
);
/** Source becomes the out device's address (xt_MASQUERADE.c). */
const masquerade = portTarget('MASQUERADE', 'masquerade', ['POSTROUTING'], [FLAG.random, FLAG.randomFully]);
/** Destination becomes this host (xt_REDIRECT.c). */
const redirect = portTarget('REDIRECT', 'redirect', ['PREROUTING', 'OUTPUT'], [FLAG.random]);

/** A prefix for a prefix, host bits stay (xt_NETMAP.c). */
const netmap: TargetModule = {
  name: 'NETMAP',
  tables: ['nat'],
  options: [{ name: 'to', required: true }],
  build(given, { family }) {
    const { address, mask } = hostMaskOf(wordOf(given, 'to'), family);
    const length = prefixLength(mask);
    if (length === null) throw new RuleError('NETMAP: a mask that is no prefix', 'not-modelled');
    const to = cidrOf(address, length);
    return { text: `--to ${formatCidr(to)}`, action: { kind: 'netmap', to } };
  },
};

export const natTargets: readonly TargetModule[] = [dnat, snat, masquerade, redirect, netmap];

function addressTarget(
  name: string,
  kind: 'dnat' | 'snat',
  option: string,
  hooks: TargetModule['hooks'] & object,
  flags: readonly OptionSpec[],
): TargetModule {
  return {
    name,
    tables: ['nat'],
    hooks,
    options: [{ name: option, required: true }, ...flags],
    build(given, scope) {
      const { shifted, ...bounds } = boundsOf(wordOf(given, option), scope);
      const text = join(`--${option} ${formatBounds(bounds)}${shifted}`, flagsText(given, flags));
      // "1.1.1.1:80-90/80" keeps a port's distance from a base, which NatRange can't say.
      return { text, action: shifted ? { kind: 'unknown', name } : { kind, range: rangeOf(given, bounds) } };
    },
  };
}

function portTarget(
  name: string,
  kind: 'masquerade' | 'redirect',
  hooks: TargetModule['hooks'] & object,
  flags: readonly OptionSpec[],
): TargetModule {
  return {
    name,
    tables: ['nat'],
    hooks,
    options: [{ name: 'to-ports' }, ...flags],
    build(given, scope) {
      const text = wordOf(given, 'to-ports');
      const bounds = text === '' ? NO_BOUNDS : { ...NO_BOUNDS, ...portsOf(text, scope) };
      return {
        text: join(text !== '' && `--to-ports ${formatPorts(bounds)}`, flagsText(given, flags)),
        action: { kind, range: rangeOf(given, bounds) },
      };
    },
  };
}

function rangeOf(given: GivenOptions, bounds: Bounds): NatRange {
  return { ...bounds, random: given.has('random'), randomFully: given.has('random-fully'), persistent: given.has('persistent') };
}

function flagsText(given: GivenOptions, flags: readonly OptionSpec[]): string {
  return join(...flags.map(({ name }) => given.has(name) && `--${name}`));
}

/** "A[-B][:P[-Q][/BASE]]", "[v6]:P", ":P" (libxt_NAT.c parse_to). */
function boundsOf(text: string, scope: RuleScope): Bounds & { readonly shifted: string } {
  const match = /^(?:\[(?<boxed>[^\]]*)\]|(?<plain>[^[\]]*?))(?::(?<ports>[^:]*))?$/.exec(text);
  const whole = scope.family === 6 && !text.startsWith('[') && !text.includes(']');
  const addresses = whole ? text : (match?.groups?.boxed ?? match?.groups?.plain);
  if (addresses === undefined) throw new RuleError(`Bad IP address "${text}"`);
  const [portText, base] = (whole ? undefined : match?.groups?.ports)?.split('/') ?? [];
  const ports = portText === undefined ? NO_BOUNDS : portsOf(portText, scope);
  const { minPort, maxPort } = ports;
  const shifted = base === undefined ? '' : `/${portOf(base)}`;
  if (addresses === '') return { minAddress: null, maxAddress: null, minPort, maxPort, shifted };
  const [low, high = low] = addresses.split('-').map((part) => addressOf(part, scope.family)) as [IpAddress, IpAddress?];
  return { minAddress: low, maxAddress: high, minPort, maxPort, shifted };
}

function addressOf(text: string, family: 4 | 6): IpAddress {
  const address = parseIp(text);
  if (address === null || isIpv4(address) !== (family === 4)) throw new RuleError(`Bad IP address "${text}"`);
  return address;
}

function portsOf(text: string, { protocol }: RuleScope): { readonly minPort: number; readonly maxPort: number } {
  if (protocol.negated || !WITH_PORTS.includes(protocol.number)) {
    throw new RuleError('Need TCP, UDP, SCTP or DCCP with port specification');
  }
  const [low, high] = text.includes('-') && parseNumber(text) === null ? splitPorts(text) : [text, text];
  const minPort = portOf(low);
  const maxPort = portOf(high);
  if (minPort > maxPort) throw new RuleError(`Port range \`${high}' funky`);
  return { minPort, maxPort };
}

function splitPorts(text: string): readonly [string, string] {
  const at = text.lastIndexOf('-');
  return /^\d+-\d+$/.test(text) ? [text.slice(0, at), text.slice(at + 1)] : [text, text];
}

function formatBounds(bounds: Bounds): string {
  const { minAddress, maxAddress, minPort } = bounds;
  let addresses = minAddress === null ? '' : formatIp(minAddress);
  if (maxAddress !== null && maxAddress !== minAddress) addresses += `-${formatIp(maxAddress)}`;
  if (minPort === null) return addresses;
  return `${minAddress !== null && !isIpv4(minAddress) ? `[${addresses}]` : addresses}:${formatPorts(bounds)}`;
}

function formatPorts({ minPort, maxPort }: Bounds): string {
  return minPort === maxPort ? `${minPort}` : `${minPort}-${maxPort}`;
}
