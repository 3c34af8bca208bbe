import type { ExternalHost, LeftOutPod, SourcePosition } from '../kubernetes/model/cluster.ts';
import type { Check } from '../kubernetes/model/check.ts';
import type { IngressClass } from '../kubernetes/model/ingress.ts';
import type { CniDraft, KubeProxyDraft } from './draft-config.ts';
import type {
  ClusterDraft,
  Drafts,
  ExternalNameDraft,
  FlannelConfigMapDraft,
  IngressDraft,
  IngressSettingsDraft,
  KubeProxyConfigMapDraft,
  LoadBalancerDraft,
  NodeDraft,
  PodDraft,
  ServiceDraft,
  SliceDraft,
  StepDraft,
  UnderlayDraft,
  WorkloadDraft,
} from './drafts.ts';
import { NamedList } from './named-list.ts';
import type { Form } from './named-list.ts';
import type { Problems } from './reading/problems.ts';

/** Takes what the readers find, document by document, and puts entries of one name together. */
export class Collector {
  readonly #problems: Problems;
  readonly #nodes: NamedList<NodeDraft>;
  readonly #pods: NamedList<PodDraft | WorkloadDraft>;
  readonly #services: NamedList<ServiceDraft>;
  readonly #externals: NamedList<ExternalHost & { readonly position: SourcePosition }>;
  readonly #ingresses: NamedList<IngressDraft>;
  readonly #ingressClasses: NamedList<IngressClass & { readonly position: SourcePosition }>;
  readonly #externalDns: NamedList<ExternalNameDraft>;
  readonly #slices: SliceDraft[] = [];
  readonly #endpoints: SliceDraft[] = [];
  readonly #checks: Check[] = [];
  readonly #steps: StepDraft[] = [];
  readonly #notModelled: { readonly kind: string; readonly namespace: string; readonly name: string }[] = [];
  readonly #passedOver = new Map<string, number>();
  #cluster: ClusterDraft = {};
  #underlay: UnderlayDraft = {};
  #cni: CniDraft | undefined;
  #kubeProxyObject: KubeProxyDraft | undefined;
  #kubeProxy: KubeProxyDraft | undefined;
  #ingress: IngressSettingsDraft | undefined;
  #loadBalancer: LoadBalancerDraft | undefined;
  #flannelConfigMap: FlannelConfigMapDraft | undefined;
  #kubeProxyConfigMap: KubeProxyConfigMapDraft | undefined;
  readonly #leftOut: LeftOutPod[] = [];

  constructor(problems: Problems) {
    this.#problems = problems;
    this.#nodes = new NamedList((node) => `Node ${node.name}`, problems);
    this.#pods = new NamedList((pod) => `${'template' in pod ? pod.kind : 'Pod'} ${pod.namespace}/${pod.name}`, problems);
    this.#services = new NamedList((service) => `Service ${service.namespace}/${service.name}`, problems);
    this.#externals = new NamedList((external) => `External host ${external.name}`, problems);
    this.#ingresses = new NamedList((ingress) => `Ingress ${ingress.namespace}/${ingress.name}`, problems);
    this.#ingressClasses = new NamedList((ingressClass) => `IngressClass ${ingressClass.name}`, problems);
    this.#externalDns = new NamedList((entry) => `"${entry.name}" of externalDNS`, problems);
  }

  addNode(form: Form, node: NodeDraft | undefined): void {
    if (node !== undefined) this.#nodes.add(form, '', node.name, node);
  }

  addPod(form: Form, pod: PodDraft | undefined): void {
    if (pod !== undefined) this.#pods.add(form, pod.namespace, pod.name, pod);
  }

  addWorkload(workload: WorkloadDraft | undefined): void {
    if (workload === undefined) return;
    // Beside the pods, whose order it shares; the kind keeps their names apart.
    this.#pods.add('object', `${workload.kind} ${workload.namespace}`, workload.name, workload);
  }

  addService(form: Form, service: ServiceDraft | undefined): void {
    if (service !== undefined) this.#services.add(form, service.namespace, service.name, service);
  }

  addSlice(slice: SliceDraft | undefined): void {
    if (slice !== undefined) this.#slices.push(slice);
  }

  addEndpoints(slices: readonly SliceDraft[]): void {
    this.#endpoints.push(...slices);
  }

  addExternal(external: (ExternalHost & { readonly position: SourcePosition }) | undefined): void {
    if (external !== undefined) this.#externals.add('short', '', external.name, external);
  }

  addIngress(form: Form, ingress: IngressDraft | undefined): void {
    if (ingress !== undefined) this.#ingresses.add(form, ingress.namespace, ingress.name, ingress);
  }

  addIngressClass(ingressClass: (IngressClass & { readonly position: SourcePosition }) | undefined): void {
    if (ingressClass !== undefined) this.#ingressClasses.add('object', '', ingressClass.name, ingressClass);
  }

  addExternalName(entry: ExternalNameDraft | undefined): void {
    if (entry !== undefined) this.#externalDns.add('short', '', entry.name, entry);
  }

  addIngressSettings(settings: IngressSettingsDraft): void {
    if (this.#ingress !== undefined) this.#problems.error('given-twice', '"ingress" is given twice', settings.position);
    this.#ingress ??= settings;
  }

  addLoadBalancer(settings: LoadBalancerDraft): void {
    if (this.#loadBalancer !== undefined) this.#problems.error('given-twice', '"loadBalancer" is given twice', settings.position);
    this.#loadBalancer ??= settings;
  }

  addCheck(check: Check): void {
    this.#checks.push(check);
  }

  addStep(step: StepDraft): void {
    this.#steps.push(step);
  }

  addCluster(cluster: ClusterDraft, position: SourcePosition): void {
    this.#cluster = this.#once(this.#cluster, cluster, 'cluster', position);
  }

  addUnderlay(underlay: UnderlayDraft, position: SourcePosition): void {
    const { subnets, firewall, commands, ...rest } = this.#underlay;
    const { subnets: subnets2, firewall: firewall2, commands: commands2, ...more } = underlay;
    this.#underlay = {
      ...this.#once(rest, more, 'underlay', position),
      subnets: [...(subnets ?? []), ...(subnets2 ?? [])],
      firewall: [...(firewall ?? []), ...(firewall2 ?? [])],
      commands: [...(commands ?? []), ...(commands2 ?? [])],
    };
  }

  addCni(cni: CniDraft | undefined): void {
    if (cni === undefined) return;
    if (this.#cni !== undefined) this.#problems.error('given-twice', '"cni" is given twice', cni.position);
    this.#cni ??= cni;
  }

  addKubeProxy(form: Form, config: KubeProxyDraft): void {
    const before = form === 'object' ? this.#kubeProxyObject : this.#kubeProxy;
    const what = form === 'object' ? 'A KubeProxyConfiguration' : '"kubeProxy"';
    if (before !== undefined) this.#problems.error('given-twice', `${what} is given twice`, config.position);
    else if (form === 'object') this.#kubeProxyObject = config;
    else this.#kubeProxy = config;
  }

  /** The first of a dump counts: there is one in a cluster. */
  addFlannelConfigMap(config: FlannelConfigMapDraft): void {
    this.#flannelConfigMap ??= config;
  }

  addKubeProxyConfigMap(config: KubeProxyDraft, where: string): void {
    this.#kubeProxyConfigMap ??= { config, where };
  }

  leaveOut(pod: LeftOutPod): void {
    this.#leftOut.push(pod);
  }

  addNotModelled(kind: string, namespace: string, name: string): void {
    this.#notModelled.push({ kind, namespace, name });
  }

  passOver(kind: string): void {
    this.#passedOver.set(kind, (this.#passedOver.get(kind) ?? 0) + 1);
  }

  /** Everything taken so far; tells of the kinds passed over. */
  drafts(): Drafts {
    if (this.#passedOver.size > 0) {
      const kinds = [...this.#passedOver]
        .map(([kind, count]) => `${count} ${kind}`)
        .sort((a, b) => (a.slice(a.indexOf(' ')) < b.slice(b.indexOf(' ')) ? -1 : 1));
      this.#problems.note('kinds-passed-over', `Passed over, of no use here: ${kinds.join(', ')}`);
    }
    // kubectl prints both; the controllers keep Endpoints and slices alike, and kube-proxy reads slices.
    const sliced = new Set(this.#slices.map(({ slice }) => `${slice.namespace}/${slice.service}`));
    return {
      cluster: this.#cluster,
      cni: this.#cni,
      kubeProxyObject: this.#kubeProxyObject,
      kubeProxy: this.#kubeProxy,
      underlay: this.#underlay,
      nodes: this.#nodes.values(),
      pods: this.#pods.values(),
      services: this.#services.values(),
      slices: [...this.#slices, ...this.#endpoints.filter(({ slice }) => !sliced.has(`${slice.namespace}/${slice.service}`))],
      externals: this.#externals.values(),
      ingresses: this.#ingresses.values(),
      ingressClasses: this.#ingressClasses.values(),
      ingress: this.#ingress,
      loadBalancer: this.#loadBalancer,
      externalDns: this.#externalDns.values(),
      checks: this.#checks,
      steps: this.#steps,
      notModelled: this.#notModelled,
      ...(this.#leftOut.length > 0 && { leftOutPods: this.#leftOut }),
      ...(this.#flannelConfigMap && { flannelConfigMap: this.#flannelConfigMap }),
      ...(this.#kubeProxyConfigMap && { kubeProxyConfigMap: this.#kubeProxyConfigMap }),
    };
  }

  /** Puts two mappings together, each of whose keys may be given once. */
  #once<T extends object>(before: T, more: T, what: string, position: SourcePosition): T {
    const out = { ...before };
    for (const key of ownKeys(more)) {
      if (more[key] === undefined) continue;
      if (before[key] !== undefined && !String(key).endsWith('Position'))
        this.#problems.error('given-twice', `"${what}" is given twice and both say "${String(key)}"`, position);
      out[key] = more[key];
    }
    return out;
  }
}

function ownKeys<T extends object>(value: T): (keyof T)[] {
  return Object.keys(value) as (keyof T)[];
}
