import { base32Hash } from '../../services/base32-hash.ts';

/**
 * The first 16 characters of base32(sha256(text)): what kube-proxy's chain names carry
 * (pkg/proxy/iptables portProtoHash, servicePortEndpointChainName).
 */
export function chainHash(text: string): string {
  return base32Hash(text, 16);
}

/** Hash that the SVC, SVL, EXT and FW chains of a service port share. */
export function servicePortHash(name: string, protocol: string): string {
  return chainHash(name + protocol);
}

/** Chain of one endpoint of a service port. */
export function endpointChainName(name: string, protocol: string, endpoint: string): string {
  return `KUBE-SEP-${chainHash(name + protocol + endpoint)}`;
}
