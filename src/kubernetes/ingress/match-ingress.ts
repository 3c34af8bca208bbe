import type { Ingress, IngressBackend, IngressPath, IngressRule } from '../model/ingress.ts';
import { requestHost, takesHost } from './host-match.ts';
import type { HostMatch } from './host-match.ts';
import type { HttpsRedirect } from './implementations.ts';
import { comparePaths, requestPath, takesPath } from './path-match.ts';

/** What a client asks of an ingress controller. */
export interface HttpRequest {
  /** The Host header, with or without a port. */
  readonly host: string;
  /** The target: path, with or without a query. */
  readonly path: string;
  /** Over HTTPS. */
  readonly tls: boolean;
}

/** Where an ingress controller sends a request. */
export type IngressMatch =
  | {
      readonly kind: 'backend';
      readonly ingress: Ingress;
      /** The rule and its path that took the request; null: a default backend takes it. */
      readonly rule: { readonly rule: IngressRule; readonly path: IngressPath; readonly host: HostMatch } | null;
      readonly backend: IngressBackend;
    }
  /** To the same URL over HTTPS, as the controller does it. */
  | { readonly kind: 'redirect'; readonly status: HttpsRedirect['status']; readonly location: string; readonly ingress: Ingress }
  /** No rule takes it, and there is no default backend: the controller itself answers. */
  | { readonly kind: 'none'; readonly status: 404 };

type BackendMatch = Extract<IngressMatch, { kind: 'backend' }>;

/**
 * Finds the rule that takes a request, among the Ingresses of one controller, oldest first. Rules of the very host come before
 * wildcards, and these before rules for every host: a host with rules of its own is not served by the others, as every host is one
 * server of ingress-nginx. Of its paths the longest counts, Exact before Prefix. Then the default backend of an Ingress that has a
 * rule for the host, then that of one without rules, then any. `redirect` is what the controller does with plain HTTP; null: it serves it.
 */
export function matchIngress(
  ingresses: readonly Ingress[],
  request: HttpRequest,
  redirect: HttpsRedirect | null = null,
): IngressMatch {
  const host = requestHost(request.host);
  const match = backendFor(ingresses, host, requestPath(request.path));
  if (match === null) return { kind: 'none', status: 404 };
  if (request.tls || redirect === null || !redirectsToHttps(match.ingress, host, redirect)) return match;
  const target = request.path === '' ? '/' : request.path;
  return { kind: 'redirect', status: redirect.status, location: `https://${host}${target}`, ingress: match.ingress };
}

interface HostedRule {
  readonly ingress: Ingress;
  readonly rule: IngressRule;
  readonly host: HostMatch;
}

function backendFor(ingresses: readonly Ingress[], host: string, path: string): BackendMatch | null {
  const rules = rulesFor(ingresses, host);
  const paths = rules
    .flatMap((hosted) => hosted.rule.paths.map((candidate) => ({ ...hosted, path: candidate })))
    .filter((candidate) => takesPath(candidate.path, path))
    // Stable: of equal ones the oldest Ingress counts.
    .sort((a, b) => comparePaths(a.path, b.path));
  const [best] = paths;
  if (best !== undefined) {
    const rule = { rule: best.rule, path: best.path, host: best.host };
    return { kind: 'backend', ingress: best.ingress, rule, backend: best.path.backend };
  }
  const byDefault =
    rules.map(({ ingress }) => ingress).find(hasDefault) ??
    ingresses.find((ingress) => ingress.rules.length === 0 && hasDefault(ingress)) ??
    ingresses.find(hasDefault);
  const backend = byDefault?.defaultBackend;
  return byDefault === undefined || !backend ? null : { kind: 'backend', ingress: byDefault, rule: null, backend };
}

function hasDefault({ defaultBackend }: Ingress): boolean {
  return defaultBackend !== null;
}

/** The rules of the closest kind of host. */
function rulesFor(ingresses: readonly Ingress[], name: string): readonly HostedRule[] {
  const all = ingresses.flatMap((ingress) =>
    ingress.rules.flatMap((rule): HostedRule[] => {
      const host = takesHost(rule.host, name);
      return host === null ? [] : [{ ingress, rule, host }];
    }),
  );
  for (const kind of ['exact', 'wildcard', 'any'] as const) {
    const ofKind = all.filter(({ host }) => host === kind);
    if (ofKind.length > 0) return ofKind;
  }
  return [];
}

/** Where the host has a certificate, unless an annotation says otherwise, or where one forces it. */
function redirectsToHttps(ingress: Ingress, host: string, { withTls, switches, forces }: HttpsRedirect): boolean {
  if (forces.some((name) => ingress.annotations[name] === 'true')) return true;
  return withTls && hasTls(ingress, host) && switches.every((name) => ingress.annotations[name] !== 'false');
}

/** Does an Ingress end TLS for a host? An entry without hosts counts for all of the Ingress. */
export function hasTls({ tls }: Ingress, host: string): boolean {
  const name = requestHost(host);
  return tls.some(({ hosts }) => hosts.length === 0 || hosts.some((own) => takesHost(own, name) !== null));
}
