import { hash } from 'node:crypto';

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
/** Two base32 characters for each 10 bits. */
const PAIRS: readonly string[] = Array.from({ length: 1024 }, (_, i) => BASE32[i >> 5]! + BASE32[i & 31]!);

/**
 * The first 16 characters of base32(sha256(text)): what kube-proxy's chain names carry
 * (pkg/proxy/iptables portProtoHash, servicePortEndpointChainName).
 */
export function chainHash(text: string): string {
  const digest = hash('sha256', text, 'hex');
  return quarter(digest, 0) + quarter(digest, 5) + quarter(digest, 10) + quarter(digest, 15);
}

/** Five hex digits are 20 bits, four base32 characters. */
function quarter(hex: string, start: number): string {
  const bits = Number.parseInt(hex.slice(start, start + 5), 16);
  return PAIRS[bits >> 10]! + PAIRS[bits & 1023]!;
}

/** Hash that the SVC, SVL, EXT and FW chains of a service port share. */
export function servicePortHash(name: string, protocol: string): string {
  return chainHash(name + protocol);
}

/** Chain of one endpoint of a service port. */
export function endpointChainName(name: string, protocol: string, endpoint: string): string {
  return `KUBE-SEP-${chainHash(name + protocol + endpoint)}`;
}

/** The kinds of chain that belong to one service port, by their prefix. */
export const SERVICE_CHAIN_PREFIXES = ['KUBE-SVC-', 'KUBE-SVL-', 'KUBE-EXT-', 'KUBE-FW-'] as const;
