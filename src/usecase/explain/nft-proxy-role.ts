import type { ProxyRole } from '../../kubernetes/services/proxy-role.ts';

/** What a rule of kube-proxy's nftables table is for, read from its chain and its text; null: not a rule that kube-proxy writes there. */
export function nftProxyRole(chain: string, isBase: boolean, text: string): ProxyRole | null {
  if (isBase) return /\bjump \S+$/.test(text) ? 'jump' : null;
  switch (chain) {
    case 'nodeport-endpoints-check':
    case 'service-endpoints-check':
    case 'firewall-check':
      return 'dispatch';
    case 'services':
      if (text.includes('vmap @service-nodeports')) return 'node-ports';
      return text.includes('vmap @service-ips') ? 'dispatch' : setsMark(text) ? 'masquerade-mark' : null;
    case 'masquerading':
      if (text.includes('@hairpin-connections')) return 'hairpin-mark';
      if (text.includes('masquerade')) return 'masquerade';
      return text.endsWith('return') ? 'unmarked' : setsMark(text) ? 'clear-mark' : null;
    case 'cluster-ips-check':
      return / reject\b/.test(text) ? 'unknown-port' : / drop\b/.test(text) ? 'unallocated-ip' : null;
    case 'mark-for-masquerade':
      return 'set-mark';
    case 'reject-chain':
      return 'no-endpoints';
    default:
      return serviceChainRole(chain, text);
  }
}

function serviceChainRole(chain: string, text: string): ProxyRole | null {
  switch (/^(?:service|local|external|firewall|endpoint)-(?=[A-Z2-7]{8}-)/.exec(chain)?.[0]) {
    case 'service-':
    case 'local-':
      if (setsMark(text)) return 'masquerade-mark';
      return text.includes('@affinity-')
        ? 'affinity'
        : text.includes('vmap {')
          ? 'balance'
          : text.includes('dnat')
            ? 'endpoint'
            : null;
    case 'external-':
      if (setsMark(text)) return 'masquerade-mark';
      if (text.includes('"short-circuit pod traffic"')) return 'pod-short-circuit';
      return text.includes('fib saddr type local') ? 'local-short-circuit' : 'external-policy';
    case 'firewall-':
      return 'source-range';
    case 'endpoint-':
      if (setsMark(text)) return 'hairpin-mark';
      return text.startsWith('update @affinity-') ? 'affinity' : text.includes('dnat') ? 'endpoint' : null;
    default:
      return null;
  }
}

function setsMark(text: string): boolean {
  return text.includes('jump mark-for-masquerade') || text.includes('mark set');
}
