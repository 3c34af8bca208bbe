import type { Ingress, IngressSettings } from '../../kubernetes/model/ingress.ts';
import type { Drafts, IngressDraft } from '../drafts.ts';

/** Ingresses with what is not given left empty. */
export function resolveIngresses(drafts: readonly IngressDraft[]): readonly Ingress[] {
  return drafts.map((draft) => ({
    namespace: draft.namespace,
    name: draft.name,
    className: draft.className ?? null,
    annotations: draft.annotations ?? {},
    defaultBackend: draft.defaultBackend ?? null,
    rules: draft.rules ?? [],
    tls: draft.tls ?? [],
    loadBalancerIngress: draft.loadBalancerIngress ?? [],
    position: draft.position,
  }));
}

/** The `ingress` key with defaults. */
export function resolveIngressSettings({ ingress }: Pick<Drafts, 'ingress'>): IngressSettings {
  return {
    controller: ingress?.controller ?? null,
    upstream: ingress?.upstream ?? 'service',
    className: ingress?.className ?? null,
  };
}
