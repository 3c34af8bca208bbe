import { mermaidLabel } from '../mermaid-label.ts';
import { printableDeep } from '../printable.ts';
import { shortName } from '../text/names.ts';
import { balancerText, externalText, networkName } from './network-rows.ts';
import { containersText, count, devicesByRole, fewTexts, kindText, podName, portsText, tunnelText } from './words.ts';
import type { Topology, TopologyDevice, TopologyNode, TopologyPod } from '../../trace/topology.ts';

/** Pods of a node that are drawn among many nodes; alone a node has all of its own. */
const DRAWN_PODS = 10;

/** Identifiers by what they stand for: names may hold anything, identifiers may not. */
class Ids {
  readonly #ids = new Map<string, string>();

  of(key: string): string {
    const known = this.#ids.get(key) ?? `n${this.#ids.size}`;
    this.#ids.set(key, known);
    return known;
  }
}

/** The network as a Mermaid flowchart: namespaces are boxes, devices stand in them, veth pairs, cables and tunnels join them. Ends with a line break. */
export function topologyMermaid(topology: Topology): string {
  const made = printableDeep(topology);
  const ids = new Ids();
  const { nodes, cluster } = made;
  const title = nodes.length === 1 ? `network of ${nodes[0]!.name}` : `network of ${count(cluster.nodes, 'node')}`;
  const lines = [
    'flowchart TB',
    `  accTitle: ${mermaidLabel(title)}`,
    ...nodes.flatMap((node) => nodeBox(node, ids, nodes.length === 1)),
    ...underlayLines(made, ids),
    ...tunnelLines(nodes, ids),
  ];
  return `${lines.join('\n')}\n`;
}

function nodeBox(node: TopologyNode, ids: Ids, all: boolean): readonly string[] {
  const { bridges, tunnels, dummies, uplinks, cables } = devicesByRole(node);
  const host = `node/${node.name}`;
  const own = node.pods.filter(({ hostNetwork }) => !hostNetwork);
  const guests = node.pods.filter(({ hostNetwork }) => hostNetwork);
  const drawn = all || own.length <= DRAWN_PODS + 1 ? own : own.slice(0, DRAWN_PODS);
  const names = new Set(drawn.map(({ name }) => name));
  const leadsToDrawn = ({ peer }: TopologyDevice): boolean => peer !== null && names.has(peer.host);
  const ports = bridges.map(({ bridge, ports: hanging }) => ({ bridge, ports: hanging.filter(leadsToDrawn) }));
  const ofHost = [
    ...bridges.map(({ bridge }) => bridge),
    ...ports.flatMap((one) => one.ports),
    ...cables,
    ...dummies,
    ...tunnels,
    ...uplinks,
  ];
  const more = own.length - drawn.length;
  return [
    `  subgraph ${ids.of(host)}["${mermaidLabel(node.name)}"]`,
    ...drawn.flatMap((pod) => podBox(pod, ids)),
    ...(more === 0 ? [] : [`    ${ids.of(`${host} more`)}["${mermaidLabel(`and ${count(more, 'more pod')}`)}"]`]),
    `    subgraph ${ids.of(`${host} namespace`)}["namespace of the host"]`,
    ...ofHost.map((device) => `      ${deviceNode(host, device, ids)}`),
    ...guests.map(
      (pod) =>
        `      ${ids.of(pod.name)}["${mermaidLabel([podName(pod), portsText(pod.listens)].filter((t) => t !== '').join(', '))}"]`,
    ),
    '    end',
    ...ports.flatMap(({ bridge, ports: hanging }) =>
      hanging.map((port) => `    ${idOf(host, port, ids)} --- ${idOf(host, bridge, ids)}`),
    ),
    ...[...ports.flatMap((one) => one.ports), ...cables.filter(leadsToDrawn)].map(
      (device) => `    ${ids.of(`${device.peer!.host} ${device.peer!.device}`)} ---|veth pair| ${idOf(host, device, ids)}`,
    ),
    ...tunnels.flatMap((tunnel) => lowerLink(host, tunnel, node, ids)),
    '  end',
  ];
}

function podBox(pod: TopologyPod, ids: Ids): readonly string[] {
  const facts = [containersText(pod), portsText(pod.listens)].filter((text) => text !== '').join(': ');
  return [
    `    subgraph ${ids.of(pod.name)}["${mermaidLabel(podName(pod))}"]`,
    ...pod.devices.filter(({ kind }) => kind !== 'loopback').map((device) => `      ${deviceNode(pod.name, device, ids)}`),
    `      ${ids.of(`${pod.name} containers`)}("${mermaidLabel(facts)}")`,
    '    end',
  ];
}

function idOf(host: string, device: TopologyDevice, ids: Ids): string {
  return ids.of(`${host} ${device.name}`);
}

function deviceNode(host: string, device: TopologyDevice, ids: Ids): string {
  const facts = [
    device.name,
    ...(device.addresses.length === 0 ? [] : [fewTexts(device.addresses)]),
    [kindText(device), `MTU ${device.mtu}`].filter((text) => text !== '').join(', '),
    ...(device.tunnel === null ? [] : [tunnelText(device.tunnel)]),
  ];
  const label = facts.map(mermaidLabel).join('<br/>');
  const [open, close] = device.tunnel ? ['{{', '}}'] : device.kind === 'bridge' ? ['[[', ']]'] : ['[', ']'];
  return `${idOf(host, device, ids)}${open}"${label}"${close}`;
}

/** Wrapped packets leave by the lower device. */
function lowerLink(host: string, { name, tunnel }: TopologyDevice, { devices }: TopologyNode, ids: Ids): readonly string[] {
  const lower = devices.find((device) => device.name === tunnel?.lower);
  return lower ? [`    ${ids.of(`${host} ${name}`)} -.->|wrapped| ${idOf(host, lower, ids)}`] : [];
}

function underlayLines({ underlay, externals, balancers, nodes }: Topology, ids: Ids): readonly string[] {
  const router = ids.of('router');
  const drawn = new Set(nodes.map(({ name }) => `node/${name}`));
  return [
    ...underlay.networks.flatMap((network) => [
      `  ${ids.of(`switch ${network.device}`)}(["${mermaidLabel(networkName(network))}"])`,
      ...network.ports
        .filter(({ host }) => drawn.has(host))
        .map(({ host, device }) => `  ${ids.of(`${host} ${device}`)} === ${ids.of(`switch ${network.device}`)}`),
      `  ${ids.of(`switch ${network.device}`)} === ${router}`,
    ]),
    `  ${router}(("${mermaidLabel(['router', ...underlay.networks.flatMap(({ routers }) => routers)].join(' '))}"))`,
    ...balancers.flatMap((balancer) => [
      `  ${ids.of(balancer.host)}["${mermaidLabel(balancerText(balancer))}"]`,
      `  ${router} === ${ids.of(balancer.host)}`,
    ]),
    ...externals.flatMap((external) => [
      `  ${ids.of(`external/${external.name}`)}["${mermaidLabel(externalText(external))}"]`,
      `  ${external.network === null ? router : ids.of(`switch ${external.network}`)} === ${ids.of(`external/${external.name}`)}`,
    ]),
  ];
}

/** From each tunnel device to that of the next node: all are joined to all, but so many lines nobody can follow. */
function tunnelLines(nodes: readonly TopologyNode[], ids: Ids): readonly string[] {
  const ends = nodes.flatMap(({ name: node, devices }) =>
    devices.filter(({ tunnel }) => tunnel !== null).map(({ name }) => ({ node, name })),
  );
  return [...new Set(ends.map(({ name }) => name))].flatMap((name) => {
    const same = ends.filter((end) => end.name === name);
    return same
      .slice(1)
      .map(
        (end, i) =>
          `  ${ids.of(`node/${same[i]!.node} ${name}`)} -.-|"${mermaidLabel(`tunnel ${shortName(name)}`)}"| ${ids.of(`node/${end.node} ${name}`)}`,
      );
  });
}
