import type { Cluster, Service } from '../../kubernetes/model/cluster.ts';
import type { Ingress, IngressBackend } from '../../kubernetes/model/ingress.ts';
import { nearest } from '../../support/nearest.ts';
import type { Drafts } from '../drafts.ts';
import type { Problems } from '../reading/problems.ts';

const CLASS_ANNOTATION = 'kubernetes.io/ingress.class';

/** What the API server would refuse of an Ingress, and what makes one useless. */
export function validateIngresses(cluster: Cluster, drafts: Drafts, problems: Problems): void {
  validateController(cluster, drafts, problems);
  if (cluster.ingresses.length === 0) return;
  const services = new Map(cluster.services.map((service) => [`${service.namespace}/${service.name}`, service]));
  for (const ingress of cluster.ingresses) {
    validateForm(ingress, problems);
    validateClass(cluster, ingress, problems);
    for (const backend of backendsOf(ingress)) validateBackend(ingress, backend, services, problems);
  }
}

function backendsOf({ defaultBackend, rules }: Ingress): readonly IngressBackend[] {
  const ofRules = rules.flatMap(({ paths }) => paths.map(({ backend }) => backend));
  return defaultBackend === null ? ofRules : [defaultBackend, ...ofRules];
}

function validateForm(ingress: Ingress, problems: Problems): void {
  const name = `${ingress.namespace}/${ingress.name}`;
  if (ingress.rules.length === 0 && ingress.defaultBackend === null) {
    problems.error('missing-key', `Ingress ${name} needs "rules" or "defaultBackend"`, ingress.position);
  }
  if (ingress.className !== null && ingress.annotations[CLASS_ANNOTATION] !== undefined) {
    const message = `Ingress ${name} names its class twice: by ingressClassName and by annotation ${CLASS_ANNOTATION}`;
    problems.warning('given-twice', message, ingress.position, 'Controllers heed the annotation; the API server refuses both');
  }
}

function validateClass({ ingressClasses, ingressSettings }: Cluster, ingress: Ingress, problems: Problems): void {
  const names = ingressClasses.map(({ name }) => name);
  const { className } = ingress;
  if (className === null || names.length === 0 || names.includes(className) || className === ingressSettings.className) return;
  const like = nearest(className, names);
  const message = `Ingress ${ingress.namespace}/${ingress.name} is of class "${className}", which is not given`;
  problems.warning('unknown-class', message, ingress.position, like === null ? undefined : `Did you mean "${like}"?`);
}

function validateBackend(
  ingress: Ingress,
  backend: IngressBackend,
  services: ReadonlyMap<string, Service>,
  problems: Problems,
): void {
  if (backend.kind === 'resource') return;
  const wanted = `${ingress.namespace}/${backend.service}`;
  const what = `Ingress ${ingress.namespace}/${ingress.name}`;
  const service = services.get(wanted);
  if (service === undefined) {
    const like = nearest(wanted, services.keys());
    const hint = like === null ? 'A backend is a service of the namespace of the Ingress' : `Did you mean "${like}"?`;
    problems.warning('unknown-service', `${what} points at service ${wanted}, which is not given`, ingress.position, hint);
    return;
  }
  const isThere = service.ports.some(({ name, port }) => backend.port === (typeof backend.port === 'string' ? name : port));
  if (isThere) return;
  const ports = service.ports.map(({ name, port }) => (name === '' ? `${port}` : `${port} (${name})`)).join(', ');
  const message = `${what} points at port ${backend.port} of service ${wanted}, which it does not have`;
  problems.warning('unknown-port', message, ingress.position, ports === '' ? undefined : `It has ${ports}`);
}

function validateController({ ingressSettings, pods }: Cluster, { ingress }: Drafts, problems: Problems): void {
  const { controller } = ingressSettings;
  if (controller === null || ingress === undefined) return;
  const selected = pods.some(
    (pod) =>
      (controller.namespace === null || controller.namespace === pod.namespace) &&
      Object.entries(controller.labels).every(([key, value]) => pod.labels[key] === value),
  );
  if (selected) return;
  const labels = Object.entries(controller.labels).map(([key, value]) => `${key}=${value}`);
  const message = `ingress.controller selects pods with ${labels.join(',')}, and there is none`;
  problems.warning('selector-matches-nothing', message, ingress.position);
}
