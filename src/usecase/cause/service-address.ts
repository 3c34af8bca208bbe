import { cidrContains } from '../../net/cidr.ts';
import { formatIp } from '../../net/ip.ts';
import { hasDump } from '../../kubernetes/model/node-dump.ts';
import type { Service } from '../../kubernetes/model/cluster.ts';
import { serviceOfAddress } from '../refs/service.ts';
import type { Cause } from '../../trace/outcome.ts';
import { causeAt, deleteRule, describeRule, lastBefore, onHost, untrackingRule, wasTranslated } from './evidence.ts';
import type { Diagnose, Evidence, Site } from './evidence.ts';
import { refusalPassedOver } from './refusal-passed-over.ts';
import { addPort } from './service-refuses.ts';

/**
 * A service address that no rule translated is an address like any other, which nobody has: clusterip-not-pingable (icmp has no
 * ports, so no rule of kube-proxy is for it), port-not-in-service, and no-such-address for one of no service.
 */
export const serviceAddress: Diagnose = (evidence, site) => {
  const { cluster, request, result, source } = evidence;
  if (site.part !== 'request' || wasTranslated(result) || site.drop?.reason === 'NETFILTER_DROP' || site.drop?.outer) return null;
  // IPVS had a real server for it and could not send it there.
  if (site.drop?.where === 'ip_vs_nat_xmit') return null;
  const isServiceIp = cluster.serviceCidrs.some((range) => cidrContains(range, request.destination));
  const service = serviceOfAddress(cluster, request.destination);
  if (!service && !isServiceIp) return null;
  const address = formatIp(request.destination);
  if (!service)
    return causeAt(
      site,
      'no-such-address',
      `no service has the address ${address}, so ${site.host} could only route it like any other, and nobody has it`,
      null,
    );
  const name = `Service ${service.namespace}/${service.name}`;
  if (request.protocol === 'icmp') {
    const text = `${address} of ${name} exists only in kube-proxy's rules, which are for its ports; nobody has the address, so nobody answers a ping, as designed`;
    return causeAt(site, 'clusterip-not-pingable', text, null);
  }
  const ports = service.ports.map((p) => `${p.port}/${p.protocol}`);
  if (!service.ports.some((p) => p.port === request.port && p.protocol === request.protocol)) {
    const text = `${name} has no port ${request.port}/${request.protocol}; it has ${ports.join(', ')}, and kube-proxy translates nothing else`;
    return causeAt(site, 'port-not-in-service', text, addPort(request, service));
  }
  if (cluster.kubeProxy.mode === 'none') {
    return causeAt(
      site,
      'no-such-address',
      `${address} of ${name} exists only in kube-proxy's rules, and no kube-proxy runs`,
      null,
    );
  }
  if (source.label.startsWith('external/') && !cameToNode(evidence)) {
    if (site.drop?.reason === 'NEIGH_FAILED') {
      const text = `${address} of ${name} belongs to no machine: ${site.host} asked for it on its link, and no node answered, so the packet never comes to the rules`;
      return causeAt(site, 'no-such-address', text, holdAddress(evidence, address));
    }
    const text = `${address} of ${name} exists only in the rules of the nodes, and ${site.host} has no route that leads it to one`;
    return causeAt(site, 'no-route', text, null, routeIndex(site));
  }
  return refusalPassedOver(evidence, site, service) ?? untranslated(evidence, site, service);
};

/** What becomes of a packet to an address that only rules know. */
const ASTRAY = ['IP_INNOROUTES', 'IP_OUTNOROUTES', 'NEIGH_FAILED', 'IP_INHDR'];

/** no-such-address: kube-proxy has such a port, but the rules of the node that the packet came through did not translate it. */
function untranslated({ cluster, request, result }: Evidence, site: Site, service: Service): Cause | null {
  const through = result.request.find(
    (e) => e.host.startsWith('node/') && ['conntrack', 'rule', 'policy'].includes(e.kind),
  )?.host;
  if (through === undefined || !ASTRAY.includes(site.drop?.reason ?? '')) return null;
  const what = `${formatIp(request.destination)}:${request.port} of Service ${service.namespace}/${service.name}`;
  const untracking = untrackingRule(result, through);
  if (untracking) {
    const text = `${describeRule(untracking)}, kept the connection out of conntrack on ${through}, so no nat rule translated ${what}, and nobody has that address`;
    return causeAt(site, 'no-such-address', text, [deleteRule(untracking)]);
  }
  const node = cluster.nodes.find(({ name }) => through === `node/${name}`);
  if (!node) return null;
  const source = hasDump(node) ? `the rules in the dump of ${through}` : `the rules of ${through}`;
  const text = `no rule of ${through} translated what goes to ${what}, and nobody has that address: ${source} lack the service's, or something keeps the packet from them`;
  const command = 'kubectl -n kube-system rollout restart daemonset kube-proxy';
  return causeAt(site, 'no-such-address', text, [`${command}  # it writes the rules of ${through} anew`]);
}

/** A node that holds the address answers for it; any will do, since all have the service's rules. */
function holdAddress({ cluster }: Evidence, address: string): readonly string[] | null {
  const node = cluster.nodes[0];
  return node ? [onHost(`node/${node.name}`, `ip addr add ${address}/32 dev eth0`)] : null;
}

function routeIndex(site: Parameters<Diagnose>[1]): number {
  const index = lastBefore(site, (e) => e.kind === 'route');
  return index < 0 ? site.index : index;
}

function cameToNode({ result }: Evidence): boolean {
  return result.request.some((e) => e.host.startsWith('node/'));
}
