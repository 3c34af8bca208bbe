import { parseIp } from '../../../net/ip.ts';
import { assertNever } from '../../../support/assert-never.ts';
import { portOfService } from '../../netfilter/iptables/service-names.ts';
import { refuse, unmodelled } from '../failure.ts';
import type { IpAddress } from '../../../net/ip.ts';
import type { TransportProtocol } from '../../../net/protocol.ts';
import type { RealServer } from '../../ipvs/virtual-server.ts';

/** A virtual service as `-t`, `-u` and `--sctp-service` name it. */
export interface ServiceName {
  readonly protocol: TransportProtocol;
  readonly address: IpAddress;
  readonly port: number;
}

/** What one command line of ipvsadm asks for. */
export type IpvsCommand =
  /** Lists or zeroes counters; of a service, where one is named. */
  | { readonly kind: 'nothing'; readonly service: ServiceName | null }
  | { readonly kind: 'clear' }
  /** Seconds; 0 changes nothing. */
  | { readonly kind: 'set-timeouts'; readonly tcp: number; readonly tcpFin: number; readonly udp: number }
  | {
      readonly kind: 'add-service' | 'edit-service';
      readonly service: ServiceName;
      readonly scheduler: string;
      readonly schedulerFlags: readonly string[];
      readonly persistence: number | null;
    }
  | { readonly kind: 'delete-service'; readonly service: ServiceName }
  | { readonly kind: 'add-server' | 'edit-server' | 'delete-server'; readonly service: ServiceName; readonly real: RealServer };

type CommandName =
  | 'add-service'
  | 'edit-service'
  | 'delete-service'
  | 'flush'
  | 'list'
  | 'add-server'
  | 'edit-server'
  | 'delete-server'
  | 'timeout'
  | 'zero';

const COMMANDS: ReadonlyMap<string, CommandName> = new Map([
  ['-A', 'add-service'],
  ['--add-service', 'add-service'],
  ['-E', 'edit-service'],
  ['--edit-service', 'edit-service'],
  ['-D', 'delete-service'],
  ['--delete-service', 'delete-service'],
  ['-C', 'flush'],
  ['--clear', 'flush'],
  ['-L', 'list'],
  ['-l', 'list'],
  ['--list', 'list'],
  ['-S', 'list'],
  ['--save', 'list'],
  ['--set', 'timeout'],
  ['-Z', 'zero'],
  ['--zero', 'zero'],
  ['-a', 'add-server'],
  ['--add-server', 'add-server'],
  ['-e', 'edit-server'],
  ['--edit-server', 'edit-server'],
  ['-d', 'delete-server'],
  ['--delete-server', 'delete-server'],
]);

const SERVICE_OPTIONS: ReadonlyMap<string, TransportProtocol> = new Map([
  ['-t', 'tcp'],
  ['--tcp-service', 'tcp'],
  ['-u', 'udp'],
  ['--udp-service', 'udp'],
  ['--sctp-service', 'sctp'],
]);

const FORWARDING: ReadonlyMap<string, RealServer['forwarding']> = new Map([
  ['-m', 'masquerade'],
  ['--masquerading', 'masquerade'],
  ['-g', 'route'],
  ['--gatewaying', 'route'],
  ['-i', 'tunnel'],
  ['--ipip', 'tunnel'],
]);

/** Options that only change how something is listed. */
const LISTING: ReadonlySet<string> = new Set([
  '-n',
  '--numeric',
  '-c',
  '--connection',
  '--stats',
  '--rate',
  '--timeout',
  '--daemon',
  '--thresholds',
  '--persistent-conn',
  '--sort',
  '--nosort',
  '--exact',
  '-6',
]);

const NOT_MODELLED: ReadonlySet<string> = new Set([
  '-f',
  '--fwmark-service',
  '-M',
  '--netmask',
  '-o',
  '--ops',
  '--pe',
  '-x',
  '--u-threshold',
  '-y',
  '--l-threshold',
  '--tun-info',
  '--tun-type',
  '-R',
  '--restore',
  '--start-daemon',
  '--stop-daemon',
]);

/** ipvsadm's defaults: DEF_SCHED, and what -p means alone. */
const DEFAULT_SCHEDULER = 'wlc';
const DEFAULT_PERSISTENCE = 300;
const MAX_PERSISTENCE = 86_400 * 31;
const MAX_WEIGHT = 65_535;

/** Reads a command line (parse_options and process_options of ipvsadm.c); refuses as ipvsadm does. */
export function readIpvsCommand(words: readonly string[]): IpvsCommand {
  const given = readOptions(words);
  const { command, service } = given;
  if (command === undefined || command === 'list' || command === 'zero') return { kind: 'nothing', service: service ?? null };
  checkOptions(command, given);
  switch (command) {
    case 'flush':
      return { kind: 'clear' };
    case 'timeout': {
      const [tcp, tcpFin, udp] = given.timeouts ?? [];
      if (tcp === undefined || tcpFin === undefined || udp === undefined) return refuse('--set option requires 3 timeout values');
      return { kind: 'set-timeouts', tcp, tcpFin, udp };
    }
    case 'add-service':
    case 'edit-service': {
      const name = required(service, 'service-address', command);
      if (name.port === 0 && given.persistence === undefined) refuse('Zero port specified for non-persistent service');
      return {
        kind: command,
        service: name,
        scheduler: given.scheduler ?? DEFAULT_SCHEDULER,
        schedulerFlags: given.schedulerFlags ?? [],
        persistence: given.persistence ?? null,
      };
    }
    case 'delete-service':
      return { kind: command, service: required(service, 'service-address', command) };
    case 'add-server':
    case 'edit-server':
    case 'delete-server': {
      const name = required(service, 'service-address', command);
      const { address, port } = required(given.real, 'real-server', command);
      const forwarding = given.forwarding ?? 'route';
      const real = { address, port: port ?? name.port, forwarding, weight: given.weight ?? 1 };
      return { kind: command, service: name, real };
    }
    default:
      return assertNever(command);
  }
}

/** generic_opt_check: options that a command has no use for. */
function checkOptions(command: CommandName, given: GivenOptions): void {
  const isService = command === 'add-service' || command === 'edit-service';
  const isServer = command === 'add-server' || command === 'edit-server';
  const illegal = [
    ...(isService ? [] : [['scheduler', given.scheduler] as const, ['persistent', given.persistence] as const]),
    ...(isServer ? [] : [['forwarding-method', given.forwarding] as const, ['weight', given.weight] as const]),
    ...(isServer || command === 'delete-server' ? [] : [['real-server', given.real] as const]),
    ...(command === 'flush' || command === 'timeout' ? [['service-address', given.service] as const] : []),
  ].find(([, value]) => value !== undefined);
  if (illegal) refuse(`Illegal '${illegal[0]}' option with the '${command}' command`);
}

interface GivenOptions {
  command?: CommandName;
  service?: ServiceName;
  scheduler?: string;
  schedulerFlags?: readonly string[];
  persistence?: number;
  real?: { readonly address: IpAddress; readonly port: number | null };
  forwarding?: RealServer['forwarding'];
  weight?: number;
  timeouts?: readonly number[];
}

function readOptions(words: readonly string[]): GivenOptions {
  const given: GivenOptions = {};
  const rest = words.flatMap(splitLong);
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const argument = (): string => rest.shift() ?? refuse(`${word!}: missing argument`);
    const command = COMMANDS.get(word);
    const protocol = SERVICE_OPTIONS.get(word);
    const forwarding = FORWARDING.get(word);
    if (command !== undefined) {
      if (given.command !== undefined) refuse('multiple commands specified');
      given.command = command;
      if (command === 'timeout') given.timeouts = rest.splice(0, 3).map((text) => timeoutOf(text, 0));
    } else if (protocol !== undefined) {
      if (given.service !== undefined) refuse("multiple 'service-address' options specified");
      given.service = serviceName(protocol, argument());
    } else if (forwarding !== undefined) given.forwarding = forwarding;
    else if (word === '-s' || word === '--scheduler') given.scheduler = argument();
    else if (word === '-b' || word === '--sched-flags') given.schedulerFlags = argument().split(',');
    else if (word === '-p' || word === '--persistent') {
      const next = rest[0];
      given.persistence = next === undefined || next.startsWith('-') ? DEFAULT_PERSISTENCE : timeoutOf(argument(), 1);
    } else if (word === '-r' || word === '--real-server')
      given.real = endpoint(argument()) ?? refuse('illegal real server address[:port] specified');
    else if (word === '-w' || word === '--weight') given.weight = numberOf(argument(), 0, MAX_WEIGHT, 'illegal weight specified');
    else if (NOT_MODELLED.has(word)) unmodelled(`ipvsadm ${word}`);
    else if (!LISTING.has(word)) refuse(word.startsWith('-') ? `${word}: unknown option` : `unexpected argument ${word}`);
  }
  return given;
}

/** "--weight=5" is "--weight 5", "-ln" is "-l -n". */
function splitLong(word: string): readonly string[] {
  const long = /^(--[a-z-]+)=(.*)$/.exec(word);
  if (long !== null) return [long[1]!, long[2]!];
  return /^-[LlSZCncg]{2,}$/.test(word) ? [...word.slice(1)].map((letter) => `-${letter}`) : [word];
}

function required<T>(value: T | undefined, option: string, command: CommandName): T {
  return value ?? refuse(`You need to supply the '${option}' option for the '${command}' command`);
}

function serviceName(protocol: TransportProtocol, text: string): ServiceName {
  const place = endpoint(text) ?? refuse('illegal virtual server address[:port] specified');
  return { protocol, address: place.address, port: place.port ?? 0 };
}

/** "10.0.0.1:80", "[fd00::1]:80"; a port by its name too; null: neither. */
function endpoint(text: string): { readonly address: IpAddress; readonly port: number | null } | null {
  const match = /^(?:\[([\da-f:]+)\]|([\d.]+))(?::(\S+))?$/i.exec(text);
  const address = match && parseIp(match[1] ?? match[2]!);
  if (!match || address === null) return null;
  if (match[3] === undefined) return { address, port: null };
  const port = /^\d+$/.test(match[3]) ? Number(match[3]) : (portOfService(match[3]) ?? -1);
  return port >= 0 && port <= 65_535 ? { address, port } : null;
}

function timeoutOf(text: string, min: number): number {
  return numberOf(text, min, MAX_PERSISTENCE, `invalid timeout value \`${text}' specified`);
}

function numberOf(text: string, min: number, max: number, complaint: string): number {
  const value = /^\d+$/.test(text) ? Number(text) : -1;
  return value >= min && value <= max ? value : refuse(complaint);
}
