import { linesOf } from '../../kernel/netfilter/iptables/edit.ts';
import { formatEndpoint, formatIp, isIpv4 } from '../../net/ip.ts';
import { hasDump } from '../../kubernetes/model/node-dump.ts';
import { interfaceAddressesOf, nodePortAddressesOf } from '../../kubernetes/services/node-port-addresses.ts';
import { proxyFamilies } from '../../kubernetes/services/proxy-families.ts';
import { servicePortsOf } from '../../kubernetes/services/service-port.ts';
import { servicePortName } from '../explain/service-index.ts';
import { readRuleText } from '../explain/rule-text.ts';
import type { Host } from '../../kernel/host.ts';
import type { IptablesTables } from '../../kernel/netfilter/iptables/table.ts';
import type { NftRuleset } from '../../kernel/netfilter/nftables/ruleset.ts';
import type { Cluster, Node, Pod } from '../../kubernetes/model/cluster.ts';
import type { TopologyEntrance } from '../../trace/topology.ts';

/**
 * Ports of a node's own addresses at which something answers: node ports, which are rules and no sockets; host ports, which are too;
 * sockets. Where the node's rules come from a dump, its rules are what counts.
 */
export function entrancesOf(cluster: Cluster, node: Node, pods: readonly Pod[], host: Host): readonly TopologyEntrance[] {
  const ports = hasDump(node)
    ? [...dumpedPorts(host.netfilter.iptables), ...nftNodePorts(host.netfilter.nftables)]
    : [...nodePorts(cluster, node), ...hostPorts(pods), ...healthChecks(cluster)];
  return unique([...ports, ...sockets(host)]).toSorted(byPort);
}

function nodePorts(cluster: Cluster, node: Node): readonly TopologyEntrance[] {
  if (cluster.kubeProxy.mode === 'none') return [];
  return proxyFamilies(cluster, node).flatMap((family) => {
    const where = nodePortAddressesOf(cluster, node, family);
    const addresses = where.matchesAll ? [null] : where.among(interfaceAddressesOf(node, family)).map(formatIp);
    return servicePortsOf(cluster, family)
      .filter(({ nodePort }) => nodePort !== 0)
      .flatMap(({ service, protocol, port, nodePort }) =>
        addresses.map(
          (address): TopologyEntrance => ({
            kind: 'node-port',
            protocol,
            port: nodePort,
            address,
            object: `Service ${service.namespace}/${service.name}`,
            to: String(port),
          }),
        ),
      );
  });
}

/** kube-proxy itself listens there, for load balancers that ask whether a node has endpoints. */
function healthChecks(cluster: Cluster): readonly TopologyEntrance[] {
  if (cluster.kubeProxy.mode === 'none') return [];
  return cluster.services
    .filter(({ healthCheckNodePort }) => healthCheckNodePort !== 0)
    .map(({ namespace, name, healthCheckNodePort }) => ({
      kind: 'health-check',
      protocol: 'tcp',
      port: healthCheckNodePort,
      address: null,
      object: `Service ${namespace}/${name}`,
      to: null,
    }));
}

function hostPorts(pods: readonly Pod[]): readonly TopologyEntrance[] {
  return pods.flatMap((pod) => {
    const address = pod.addresses.find(isIpv4) ?? pod.addresses[0];
    return pod.ports.flatMap(({ protocol, port, hostPort, hostIp }): readonly TopologyEntrance[] =>
      hostPort === null
        ? []
        : [
            {
              kind: 'host-port',
              protocol,
              port: hostPort,
              address: hostIp === null || hostIp === 0 || hostIp === 0n ? null : formatIp(hostIp),
              object: `Pod ${pod.namespace}/${pod.name}`,
              to: address === undefined ? String(port) : formatEndpoint(address, port),
            },
          ],
    );
  });
}

function sockets(host: Host): readonly TopologyEntrance[] {
  return host.listeners.map(({ protocol, port, address, origin }) => ({
    kind: 'socket',
    protocol,
    port,
    address: address === null ? null : formatIp(address),
    object: origin?.object ?? null,
    to: null,
  }));
}

/** Node ports stand in KUBE-NODEPORTS; a host port is a DNAT of portmap (CNI-DN-...) or of Docker. */
function dumpedPorts(tables: IptablesTables): readonly TopologyEntrance[] {
  const nat = tables.get('nat');
  return [...(nat?.chainNames() ?? [])].flatMap((name) => {
    const kind = name === 'KUBE-NODEPORTS' ? 'node-port' : /^(CNI-DN-|DOCKER$)/.test(name) ? 'host-port' : null;
    const chain = kind === null ? undefined : nat?.chain(name);
    if (kind === null || chain === undefined) return [];
    return linesOf(chain).flatMap(({ body }): readonly TopologyEntrance[] => {
      const rule = readRuleText(body);
      const port = Number(rule.option('--dport'));
      const leads = kind === 'node-port' ? /^KUBE-(SVC|EXT|XLB|FW|SVL)-/.test(rule.target) : rule.target === 'DNAT';
      if (!leads || !Number.isInteger(port) || port === 0) return [];
      const service = kind === 'node-port' ? servicePortName(rule.comment) : null;
      return [
        {
          kind,
          protocol: rule.option('-p') ?? 'tcp',
          port,
          address: rule.option('-d')?.replace(/\/32$/, '') ?? null,
          object: service === null ? null : `Service ${service.split(':', 1)[0]}`,
          to: kind === 'host-port' ? rule.option('--to-destination') : null,
        },
      ];
    });
  });
}

/** Node ports of kube-proxy's own table: the map service-nodeports. */
function nftNodePorts(ruleset: NftRuleset): readonly TopologyEntrance[] {
  return ruleset.flatMap((table) => {
    const map = table.name === 'kube-proxy' ? table.set('service-nodeports') : undefined;
    return (map?.elements() ?? []).map(({ key, origin }): TopologyEntrance => {
      const [protocol, port] = key.split(' . ');
      return {
        kind: 'node-port',
        protocol: protocol!,
        port: Number(port),
        address: null,
        object: origin?.object ?? null,
        to: null,
      };
    });
  });
}

/** Each kind in a group of its own, by number. */
function byPort(a: TopologyEntrance, b: TopologyEntrance): number {
  return KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || a.port - b.port;
}

const KINDS: readonly TopologyEntrance['kind'][] = ['node-port', 'health-check', 'host-port', 'socket'];

function unique(entrances: readonly TopologyEntrance[]): readonly TopologyEntrance[] {
  return [...new Map(entrances.map((entrance) => [JSON.stringify(entrance), entrance])).values()];
}
