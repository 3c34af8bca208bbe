import type { ConnectionVerdict } from '../walk/connection.ts';

/** icmp_err_convert[]: the errno of each code of ICMP destination unreachable. */
const UNREACHABLE_ERRNO: readonly string[] = [
  'ENETUNREACH', 'EHOSTUNREACH', 'ENOPROTOOPT', 'ECONNREFUSED', 'EMSGSIZE', 'EOPNOTSUPP', 'ENETUNREACH', 'EHOSTDOWN', 'ENONET',
  'ENETUNREACH', 'EHOSTUNREACH', 'ENETUNREACH', 'EHOSTUNREACH', 'EHOSTUNREACH', 'EHOSTUNREACH', 'EHOSTUNREACH',
];

/** What an ICMP error means to the socket whose packet it quotes (icmp_unreach, tcp_v4_err); null: nothing. */
export function errnoOfIcmp(type: number, code: number): string | null {
  if (type === 3) return UNREACHABLE_ERRNO[code] ?? null;
  if (type === 11) return 'EHOSTUNREACH';
  return type === 12 ? 'EPROTO' : null;
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
