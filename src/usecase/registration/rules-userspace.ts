import { proxiedPortsOf } from '../../kubernetes/kube-proxy/userspace/portals.ts';
import { fullName, proxyProcessName } from './words.ts';
import type { NodeEntries, RulesQuestion } from './rules.ts';

/** The ports on which kube-proxy itself listens for the service, and where it connects to from there. */
export function userspaceProcesses({ cluster, node, service, podAt }: RulesQuestion): NodeEntries {
  const own = proxiedPortsOf(cluster, node).filter(({ port }) => fullName(port.service) === fullName(service));
  return {
    entries: [],
    chains: own.map((proxied) => ({
      name: proxyProcessName(proxied.protocol, proxied.proxyPort),
      sentence: `a second connection for ${proxied.port.name}, to one endpoint after the other`,
      steps: proxied
        .endpoints()
        .map(({ text }, i) => ({ rule: i + 1, sentence: 'in turn', leadsTo: null, endpoint: text, pod: podAt(text) })),
    })),
  };
}
