import type { IpAddress } from '../../net/ip.ts';
import type { SourcePosition } from './cluster.ts';

/** A networking.k8s.io/v1 Ingress. */
export interface Ingress {
  readonly namespace: string;
  readonly name: string;
  /** spec.ingressClassName; null: not given. */
  readonly className: string | null;
  readonly annotations: Readonly<Record<string, string>>;
  readonly defaultBackend: IngressBackend | null;
  readonly rules: readonly IngressRule[];
  readonly tls: readonly IngressTls[];
  /** status.loadBalancer.ingress: where clients get to the controller, as that says. */
  readonly loadBalancerIngress: readonly { readonly ip: IpAddress | null; readonly hostname: string | null }[];
  readonly position: SourcePosition | null;
}

export interface IngressRule {
  /** In lower case; may begin with "*."; null: every host. */
  readonly host: string | null;
  /** A rule without paths takes nothing by itself: the default backend serves its host. */
  readonly paths: readonly IngressPath[];
  readonly position: SourcePosition | null;
}

export type IngressPathType = 'Exact' | 'Prefix' | 'ImplementationSpecific';

export interface IngressPath {
  /** Begins with "/". */
  readonly path: string;
  readonly pathType: IngressPathType;
  readonly backend: IngressBackend;
}

export type IngressBackend =
  /** A service of the Ingress's own namespace, and the number or the name of one of its ports. */
  | { readonly kind: 'service'; readonly service: string; readonly port: number | string }
  /** An object that is no service, such as a bucket: who serves it is the controller's affair. */
  | { readonly kind: 'resource'; readonly resourceKind: string; readonly name: string };

export interface IngressTls {
  /** In lower case; may begin with "*."; empty: every host of the Ingress. */
  readonly hosts: readonly string[];
  readonly secretName: string | null;
}

/** A networking.k8s.io/v1 IngressClass. */
export interface IngressClass {
  readonly name: string;
  /** spec.controller: "k8s.io/ingress-nginx". */
  readonly controller: string;
  /** Annotation ingressclass.kubernetes.io/is-default-class: takes Ingresses that name no class. */
  readonly isDefault: boolean;
  readonly position: SourcePosition | null;
}

/** The `ingress` key of a scenario. */
export interface IngressSettings {
  /** Pods that are the controller: those with all the labels, of the namespace (null: of any); null: found by class and usual labels. */
  readonly controller: { readonly namespace: string | null; readonly labels: Readonly<Record<string, string>> } | null;
  /** Where the controller connects to: the ClusterIP of the backend's service, or one of its endpoints. */
  readonly upstream: 'service' | 'endpoints';
  /** The IngressClass that the controller serves; null: what the objects say. */
  readonly className: string | null;
}
