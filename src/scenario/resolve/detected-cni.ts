import type { CniDraft } from '../draft-config.ts';
import type { Drafts, PodDraft, WorkloadDraft } from '../drafts.ts';
import { FLANNEL_BACKENDS } from '../short-form/cni.ts';

const BACKEND_TYPE = 'flannel.alpha.coreos.com/backend-type';

/** Who the pods (and DaemonSets) of a pod network are, by the beginning of their names. */
const AGENTS: readonly (readonly [name: string, plugin: string])[] = [
  ['calico-node', 'Calico'],
  ['canal', 'Canal'],
  ['cilium', 'Cilium'],
  ['aws-node', "Amazon's VPC CNI"],
  ['azure-cns', "Azure's CNI"],
  ['anetd', "Google's Dataplane V2"],
  ['antrea-agent', 'Antrea'],
  ['kindnet', 'kindnet'],
  ['kube-ovn-cni', 'Kube-OVN'],
  ['kube-router', 'kube-router'],
  ['ovnkube-node', 'OVN-Kubernetes'],
];
const FLANNEL_AGENT = 'kube-flannel';
const WEAVE_AGENT = 'weave-net';
/** The beginnings of all those names: hardly a pod of a large cluster has one. */
const ANY_AGENT = new RegExp(`^(?:${[...AGENTS.map(([name]) => name), FLANNEL_AGENT, WEAVE_AGENT].join('|')})`);

/** What is known, or assumed, of a cluster's network where the short form says nothing. */
export interface Detected {
  readonly drafts: Drafts;
  /** Sentences for the traces. */
  readonly assumptions: readonly string[];
}

/**
 * Fills in what the objects tell of the CNI and of kube-proxy. Of the CNI, in this order: the agents of a plugin that is not modelled
 * (flannel stands in for it, which is said), flannel's ConfigMap, its annotations of Nodes, its pods, weave's pods; else flannel's vxlan.
 */
export function detectNetwork(drafts: Drafts): Detected {
  const { kubeProxyConfigMap } = drafts;
  const proxy =
    drafts.kubeProxyObject === undefined && kubeProxyConfigMap !== undefined
      ? {
          kubeProxyObject: kubeProxyConfigMap.config,
          note: [`kube-proxy's configuration is taken from ${kubeProxyConfigMap.where}`],
        }
      : { kubeProxyObject: drafts.kubeProxyObject, note: [] };
  const withProxy = { ...drafts, kubeProxyObject: proxy.kubeProxyObject };
  if (drafts.cni !== undefined) return { drafts: withProxy, assumptions: proxy.note };
  const { cni, podCidrs, note } = detectCni(drafts);
  const cluster = { ...drafts.cluster, podCidrs: drafts.cluster.podCidrs ?? podCidrs };
  return { drafts: { ...withProxy, cni, cluster }, assumptions: [note, ...proxy.note] };
}

interface DetectedCni {
  readonly cni: CniDraft | undefined;
  readonly podCidrs?: Drafts['cluster']['podCidrs'];
  readonly note: string;
}

function detectCni(drafts: Drafts): DetectedCni {
  const suspects = drafts.pods.filter(({ name }) => ANY_AGENT.test(name));
  const foreign = AGENTS.flatMap(([prefix, plugin]) => {
    const agent = agentOf(suspects, prefix);
    return agent === undefined ? [] : [{ agent, plugin }];
  })[0];
  if (foreign !== undefined) {
    const { agent, plugin } = foreign;
    const note = `The pod network is that of ${plugin} (${describe(agent)}), which is not modelled: flannel with VXLAN stands in for it, so routes, tunnels and rules of pods are not the cluster's own`;
    return { cni: undefined, note };
  }
  const map = drafts.flannelConfigMap;
  if (map !== undefined) {
    const note = `The CNI is taken from ${map.where}: flannel with backend ${map.cni.backend}`;
    return { cni: map.cni, ...(map.podCidrs.length > 0 && { podCidrs: map.podCidrs }), note };
  }
  for (const { name, annotations, position } of drafts.nodes) {
    const backend = FLANNEL_BACKENDS.find((known) => known === annotations?.[BACKEND_TYPE]);
    if (backend !== undefined) {
      const note = `The CNI is taken from the annotations of Node ${name}: flannel with backend ${backend}`;
      return { cni: { plugin: 'flannel', backend, position }, note };
    }
  }
  const flannel = agentOf(suspects, FLANNEL_AGENT);
  if (flannel !== undefined)
    return { cni: undefined, note: `The CNI is flannel (${describe(flannel)}); its backend is not given, VXLAN is assumed` };
  const weave = agentOf(suspects, WEAVE_AGENT);
  if (weave !== undefined)
    return { cni: { plugin: 'weave', position: weave.position }, note: `The CNI is Weave Net (${describe(weave)})` };
  return { cni: undefined, note: 'No CNI is given: flannel with VXLAN is assumed (cni: flannel-vxlan)' };
}

/** A DaemonSet, or a pod that one has made or that is a manifest of the node, of that name. */
function agentOf(pods: Drafts['pods'], prefix: string): PodDraft | WorkloadDraft | undefined {
  return pods.find(
    ({ name }) =>
      name === prefix ||
      (name.startsWith(`${prefix}-`) && /^(ds-?)?[a-z0-9]{0,5}(-[a-z0-9]{5})?$/.test(name.slice(prefix.length + 1))),
  );
}

function describe(agent: PodDraft | WorkloadDraft): string {
  return `${'template' in agent ? agent.kind : 'pod'} ${agent.namespace}/${agent.name}`;
}
