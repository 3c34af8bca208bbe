/** An ingress controller that is known by its usual labels. */
export interface ControllerImplementation {
  readonly name: string;
  /** Values of IngressClass spec.controller that it answers to. */
  readonly controllers: readonly string[];
  /** The value of the annotation kubernetes.io/ingress.class that it takes by default. */
  readonly annotation: string;
  /** Each is a set of labels that its pods may have; '' stands for a label that is absent. */
  readonly labels: readonly Readonly<Record<string, string>>[];
}

const NAME = 'app.kubernetes.io/name';
const COMPONENT = 'app.kubernetes.io/component';

/** The labels are those of each project's own manifests and charts. */
export const IMPLEMENTATIONS: readonly ControllerImplementation[] = [
  {
    name: 'ingress-nginx',
    controllers: ['k8s.io/ingress-nginx'],
    annotation: 'nginx',
    labels: [
      { [NAME]: 'ingress-nginx', [COMPONENT]: 'controller' },
      { [NAME]: 'ingress-nginx', [COMPONENT]: '' },
      { app: 'ingress-nginx' },
      { app: 'nginx-ingress', component: 'controller' },
    ],
  },
  {
    name: 'nginx-ingress',
    controllers: ['nginx.org/ingress-controller'],
    annotation: 'nginx',
    labels: [{ app: 'nginx-ingress', component: '' }, { [NAME]: 'nginx-ingress' }],
  },
  {
    name: 'traefik',
    controllers: ['traefik.io/ingress-controller'],
    annotation: 'traefik',
    labels: [{ [NAME]: 'traefik' }, { app: 'traefik' }, { 'k8s-app': 'traefik-ingress-lb' }],
  },
  {
    name: 'haproxy-ingress',
    controllers: ['haproxy-ingress.github.io/controller'],
    annotation: 'haproxy',
    labels: [{ [NAME]: 'haproxy-ingress' }],
  },
  {
    name: 'haproxy-kubernetes-ingress',
    controllers: ['haproxy.org/ingress-controller/haproxy'],
    annotation: 'haproxy',
    labels: [{ [NAME]: 'kubernetes-ingress' }],
  },
  {
    name: 'contour',
    controllers: ['projectcontour.io/ingress-controller', 'projectcontour.io/projectcontour/contour'],
    annotation: 'contour',
    labels: [{ [NAME]: 'contour', [COMPONENT]: 'envoy' }, { app: 'envoy' }],
  },
  {
    name: 'kong',
    controllers: ['ingress-controllers.konghq.com/kong'],
    annotation: 'kong',
    labels: [{ [NAME]: 'kong' }, { app: 'ingress-kong' }],
  },
];

/** The implementation that a pod with such labels is of; undefined for any other pod. */
export function implementationOf(labels: Readonly<Record<string, string>>): ControllerImplementation | undefined {
  return IMPLEMENTATIONS.find((known) => known.labels.some((wanted) => hasLabels(labels, wanted)));
}

/** Has it all the labels? '' stands for a label that is absent. */
export function hasLabels(labels: Readonly<Record<string, string>>, wanted: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).every(([key, value]) => (labels[key] ?? '') === value);
}
