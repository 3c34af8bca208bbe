import type { IcmpHeader } from '../../net/packet.ts';
import type { ConnectionVerdict } from '../walk/connection.ts';

/** icmp_err_convert[]: the errno of each code of ICMP destination unreachable. */
const UNREACHABLE_ERRNO: readonly string[] = [
  'ENETUNREACH',
  'EHOSTUNREACH',
  'ENOPROTOOPT',
  'ECONNREFUSED',
  'EMSGSIZE',
  'EOPNOTSUPP',
  'ENETUNREACH',
  'EHOSTDOWN',
  'ENONET',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'EHOSTUNREACH',
  'EHOSTUNREACH',
  'EHOSTUNREACH',
];

/** tab_unreach[] of icmpv6_err_convert: the errno of each code of ICMPv6 destination unreachable. */
const UNREACHABLE_ERRNO_6: readonly string[] = [
  'ENETUNREACH',
  'EACCES',
  'EHOSTUNREACH',
  'EHOSTUNREACH',
  'ECONNREFUSED',
  'EACCES',
  'EACCES',
];

/** What an ICMP error means to the socket whose packet it quotes (icmp_unreach, tcp_v4_err; icmpv6_err_convert); null: nothing. */
export function errnoOfIcmp({ protocol, type, code }: Pick<IcmpHeader, 'protocol' | 'type' | 'code'>): string | null {
  if (protocol === 'icmpv6') return errnoOfIcmpv6(type, code);
  if (type === 3) return UNREACHABLE_ERRNO[code] ?? null;
  if (type === 11) return 'EHOSTUNREACH';
  return type === 12 ? 'EPROTO' : null;
}

function errnoOfIcmpv6(type: number, code: number): string | null {
  switch (type) {
    case 1:
      return UNREACHABLE_ERRNO_6[code] ?? 'EPROTO';
    case 2:
      return 'EMSGSIZE';
    case 3:
      return 'EHOSTUNREACH';
    case 4:
      return 'EPROTO';
    default:
      return null;
  }
}

/** What a program makes of the errno of connect, send or recv. */
export function verdictOfErrno(errno: string): ConnectionVerdict {
  switch (errno) {
    case 'ECONNREFUSED':
    case 'ENOPROTOOPT':
    case 'EPROTO':
      return 'refused';
    case 'ECONNRESET':
      return 'reset';
    case 'ENETUNREACH':
    case 'ENONET':
      return 'network-unreachable';
    case 'EMSGSIZE':
      return 'message-too-long';
    case 'EACCES':
      return 'prohibited';
    case 'EPERM':
      return 'not-permitted';
    case 'EINVAL':
      return 'invalid-argument';
    default:
      return 'host-unreachable';
  }
}
