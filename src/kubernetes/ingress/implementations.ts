/** What a controller does with plain HTTP for a host that it could serve over HTTPS: it sends the client there. */
export interface HttpsRedirect {
  /** The status of its answer. */
  readonly status: 301 | 302 | 308;
  /** It does so by itself where the Ingress has TLS for the host. */
  readonly withTls: boolean;
  /** Annotations that keep it from that with "false". */
  readonly switches: readonly string[];
  /** Annotations that make it do so with "true", with TLS or without. */
  readonly forces: readonly string[];
}

/** An ingress controller that is known by its usual labels. */
export interface ControllerImplementation {
  readonly name: string;
  /** Values of IngressClass spec.controller that it answers to. */
  readonly controllers: readonly string[];
  /** The value of the annotation kubernetes.io/ingress.class that it takes by default. */
  readonly annotation: string;
  /** Each is a set of labels that its pods may have; '' stands for a label that is absent. */
  readonly labels: readonly Readonly<Record<string, string>>[];
  /** null: it serves plain HTTP as HTTPS, whatever the Ingress says (Traefik redirects by entry points and middlewares alone). */
  readonly httpsRedirect: HttpsRedirect | null;
}

const NAME = 'app.kubernetes.io/name';
const COMPONENT = 'app.kubernetes.io/component';

const FORCED = 'ingress.kubernetes.io/force-ssl-redirect';

/** The labels and annotations are those of each project's own manifests and charts. */
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
    httpsRedirect: {
      status: 308,
      withTls: true,
      switches: ['nginx.ingress.kubernetes.io/ssl-redirect'],
      forces: ['nginx.ingress.kubernetes.io/force-ssl-redirect'],
    },
  },
  {
    name: 'nginx-ingress',
    controllers: ['nginx.org/ingress-controller'],
    annotation: 'nginx',
    labels: [{ app: 'nginx-ingress', component: '' }, { [NAME]: 'nginx-ingress' }],
    httpsRedirect: {
      status: 301,
      withTls: true,
      switches: ['nginx.org/ssl-redirect', 'ingress.kubernetes.io/ssl-redirect'],
      forces: [],
    },
  },
  {
    name: 'traefik',
    controllers: ['traefik.io/ingress-controller'],
    annotation: 'traefik',
    labels: [{ [NAME]: 'traefik' }, { app: 'traefik' }, { 'k8s-app': 'traefik-ingress-lb' }],
    httpsRedirect: null,
  },
  {
    name: 'haproxy-ingress',
    controllers: ['haproxy-ingress.github.io/controller'],
    annotation: 'haproxy',
    labels: [{ [NAME]: 'haproxy-ingress' }],
    httpsRedirect: {
      status: 302,
      withTls: true,
      switches: ['haproxy-ingress.github.io/ssl-redirect', 'ingress.kubernetes.io/ssl-redirect'],
      forces: [],
    },
  },
  {
    name: 'haproxy-kubernetes-ingress',
    controllers: ['haproxy.org/ingress-controller/haproxy'],
    annotation: 'haproxy',
    labels: [{ [NAME]: 'kubernetes-ingress' }],
    httpsRedirect: { status: 302, withTls: true, switches: ['haproxy.org/ssl-redirect'], forces: ['haproxy.org/ssl-redirect'] },
  },
  {
    name: 'contour',
    controllers: ['projectcontour.io/ingress-controller', 'projectcontour.io/projectcontour/contour'],
    annotation: 'contour',
    labels: [{ [NAME]: 'contour', [COMPONENT]: 'envoy' }, { app: 'envoy' }],
    httpsRedirect: { status: 301, withTls: false, switches: [], forces: [FORCED] },
  },
  {
    name: 'kong',
    controllers: ['ingress-controllers.konghq.com/kong'],
    annotation: 'kong',
    labels: [{ [NAME]: 'kong' }, { app: 'ingress-kong' }],
    httpsRedirect: { status: 302, withTls: false, switches: [], forces: [FORCED] },
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
