import { linesOf } from '../../kernel/netfilter/iptables/edit.ts';
import { formatIp, isIpv4 } from '../../net/ip.ts';
import { sliceIndexOf } from '../../kubernetes/services/endpoints.ts';
import { podChain } from '../../kubernetes/sandbox-id.ts';
import { recogniseRule, serviceIndexOf } from '../explain/index.ts';
import { labelFit } from './labels.ts';
import { nodeGroups } from './node-groups.ts';
import { selectedPod } from './pods.ts';
import { usedEndpoints } from './used-endpoints.ts';
import { fullName, labelsText, listed } from './words.ts';
import type { Host } from '../../kernel/host.ts';
import type { World } from '../../kernel/world.ts';
import type { Cluster, Pod, Service } from '../../kubernetes/model/cluster.ts';
import type { ExplainedPod, ExplainedPodRule, ExplainedPodService } from '../../trace/explanation.ts';

/** Rules about one pod: one with many host ports has more, all alike. */
const MOST_RULES = 30;

/** Where a pod is, which services lead to it or nearly do, and the rules of its node that are about it alone. */
export function explainPod(cluster: Cluster, pod: Pod, world: World): ExplainedPod {
  const host = world.host(`node/${pod.node}`);
  const services = cluster.services.filter(({ namespace }) => namespace === pod.namespace);
  const told = services.flatMap((service) => serviceOf(cluster, service, pod) ?? []);
  return {
    name: fullName(pod),
    node: pod.node,
    addresses: pod.addresses.map(formatIp),
    hostNetwork: pod.hostNetwork,
    labels: pod.labels,
    ready: pod.serving,
    terminating: pod.terminating,
    cable: cableOf(pod, world, host),
    ports: [
      ...pod.ports.map(({ name, protocol, port, hostPort, listens }) => ({ name, protocol, port, hostPort, listens })),
      ...pod.assumedPorts.map(({ protocol, port }) => ({ name: '', protocol, port, hostPort: null, listens: true })),
    ],
    rules:
      host === undefined ? [] : rulesAbout(cluster, pod, host).toSorted((a, b) => Number(isPodChain(a)) - Number(isPodChain(b))),
    services: told.toSorted((a, b) => STATES.indexOf(a.state) - STATES.indexOf(b.state)),
    otherServices: services.length - told.length,
  };
}

const STATES: readonly ExplainedPodService['state'][] = ['used', 'unused', 'left-out'];

/** null: the service has nothing to do with the pod. */
function serviceOf(cluster: Cluster, service: Service, pod: Pod): ExplainedPodService | null {
  const slices = sliceIndexOf(cluster).get(fullName(service)) ?? [];
  const fit = service.selector === null ? null : labelFit(pod.labels, service.selector);
  if (fit !== null && !fit.takes) {
    if (fit.score === 0) return null;
    const reasons = [{ code: 'labels', text: listed(fit.missing) }] as const;
    return { ...named(service), state: 'left-out', endpoints: [], reasons };
  }
  const { state, endpoints, reasons } = selectedPod(pod, service, slices, usedEndpoints(nodeGroups(cluster, service), slices));
  return fit === null && state === 'left-out' ? null : { ...named(service), state, endpoints, reasons };
}

function named(service: Service): Pick<ExplainedPodService, 'name' | 'selector'> {
  return { name: fullName(service), selector: service.selector === null ? 'none' : labelsText(service.selector) };
}

function cableOf(pod: Pod, world: World, node: Host | undefined): ExplainedPod['cable'] {
  const own = pod.hostNetwork ? undefined : world.host(`pod/${fullName(pod)}`);
  for (const device of own?.devices.values() ?? []) {
    if (device.kind !== 'veth') continue;
    const outside = node?.devices.get(device.peer.device);
    return { inside: device.name, outside: device.peer.device, bridge: outside?.master ?? null };
  }
  return null;
}

/** Rules of the CNI plugins and others that name the pod's address or its chain; those of services are told with the services. */
function rulesAbout(cluster: Cluster, pod: Pod, { netfilter }: Host): readonly ExplainedPodRule[] {
  if (pod.hostNetwork) return [];
  const index = serviceIndexOf(cluster);
  const chains = [podChain('CNI-DN-', pod), podChain('CNI-', pod)];
  const rules: ExplainedPodRule[] = [];
  for (const family of [4, 6] as const) {
    const addresses = pod.addresses.filter((address) => isIpv4(address) === (family === 4)).map((a) => wordOf(formatIp(a)));
    if (addresses.length === 0) continue;
    for (const table of (family === 4 ? netfilter.iptables : netfilter.ip6tables).values()) {
      for (const name of table.chainNames()) {
        const chain = name.startsWith('KUBE-') ? undefined : table.chain(name);
        if (chain === undefined) continue;
        for (const [i, { body }] of linesOf(chain).entries()) {
          const isAbout =
            chains.includes(name) || chains.some((own) => body.endsWith(` -j ${own}`)) || addresses.some((a) => a.test(body));
          if (!isAbout) continue;
          const sentence = recogniseRule(table.name, name, body, index)?.sentence ?? null;
          rules.push({ table: table.name, chain: name, rule: i + 1, text: `-A ${name} ${body}`, sentence });
          if (rules.length === MOST_RULES) return rules;
        }
      }
    }
  }
  return rules;
}

/** Rules that lead to a pod's chain come before those in it. */
function isPodChain({ chain }: ExplainedPodRule): boolean {
  return /^CNI-(?:DN-)?[0-9a-f]{20,}$/.test(chain);
}

/** The address as a word of a rule, a port or a prefix length of one host behind it. */
function wordOf(address: string): RegExp {
  return new RegExp(`(?:^|[ [])${address.replaceAll('.', '\\.')}(?:$|[ :\\]]|/32|/128)`);
}
