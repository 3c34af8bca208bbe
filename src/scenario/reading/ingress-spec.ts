import type { Ingress, IngressPath, IngressPathType, IngressRule, IngressTls } from '../../kubernetes/model/ingress.ts';
import { parseIp } from '../../net/ip.ts';
import type { IngressDraft } from '../drafts.ts';
import type { Mapping } from '../source/container.ts';
import { valueAt } from '../source/container.ts';
import { readIngressBackend } from './ingress-backend.ts';
import type { Reader } from './reader.ts';
import type { Strictness } from './service-spec.ts';

/** The keys of an IngressSpec. */
export const INGRESS_SPEC_KEYS: readonly string[] = ['ingressClassName', 'defaultBackend', 'rules', 'tls'];

const PATH_TYPES: readonly IngressPathType[] = ['Exact', 'Prefix', 'ImplementationSpecific'];
/** The label of a wildcard host, then labels (RFC 1123), in the API server's `ValidateWildcardDNS1123Subdomain`. */
const HOST = /^(\*\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
/** Path elements that a controller might take away; the API server refuses them for Exact and Prefix. */
const FORBIDDEN_IN_PATH = /\/\/|\/\.\/|\/\.\.\/|%2f|\/\.\.?$/i;

/** How a missing pathType is met: networking.k8s.io/v1 refuses it, older versions and the short form have a default. */
export interface IngressForm {
  readonly strictness: Strictness;
  readonly defaultPathType: IngressPathType | null;
}

/** The fields of an IngressSpec (networking.k8s.io), of an object or of a short-form entry. */
export function readIngressSpec(
  reader: Reader,
  spec: Mapping,
  form: IngressForm,
): Pick<IngressDraft, 'className' | 'defaultBackend' | 'rules' | 'tls'> {
  return {
    className: reader.string(spec, 'ingressClassName'),
    // "backend" is what v1beta1 calls it.
    defaultBackend:
      readIngressBackend(reader, spec, 'defaultBackend', form.strictness) ??
      (form.strictness === 'lenient' ? readIngressBackend(reader, spec, 'backend', form.strictness) : undefined),
    rules: reader.mappings(spec, 'rules', (item) => readRule(reader, item, form)),
    tls: reader.mappings(spec, 'tls', (item) => readTls(reader, item, form.strictness)),
  };
}

/** status.loadBalancer.ingress of an Ingress. */
export function readIngressStatus(reader: Reader, status: Mapping): Ingress['loadBalancerIngress'] | undefined {
  const loadBalancer = reader.mapping(status, 'loadBalancer');
  if (loadBalancer === undefined) return undefined;
  return reader.mappings(loadBalancer, 'ingress', (item) => {
    const text = reader.string(item, 'ip');
    const ip = text === undefined || text === '' ? null : parseIp(text);
    if (ip === null && text !== undefined && text !== '') return reader.wrong(item, 'ip', 'an IP address');
    return { ip, hostname: reader.string(item, 'hostname') ?? null };
  });
}

function readRule(reader: Reader, item: Mapping, form: IngressForm): IngressRule | undefined {
  if (form.strictness === 'strict') reader.allowOnly(item, 'a rule of an ingress', ['host', 'http', 'paths']);
  const host = readHost(reader, item, 'host');
  const http = reader.mapping(item, 'http');
  const holder = http ?? (form.strictness === 'strict' && valueAt(item, 'paths') !== undefined ? item : undefined);
  if (http !== undefined && form.strictness === 'strict') reader.allowOnly(http, '"http"', ['paths']);
  if (holder !== undefined && (reader.list(holder, 'paths') ?? []).length === 0) {
    reader.problems.error('missing-key', 'A rule of an ingress needs "paths"', reader.position(holder));
  }
  const paths = holder === undefined ? [] : reader.mappings(holder, 'paths', (path) => readPath(reader, path, form));
  if (host === undefined && valueAt(item, 'host') !== undefined) return undefined;
  return { host: host === '' ? null : (host ?? null), paths: paths ?? [], position: reader.position(item) };
}

function readPath(reader: Reader, item: Mapping, form: IngressForm): IngressPath | undefined {
  if (form.strictness === 'strict') reader.allowOnly(item, 'a path of an ingress', ['path', 'pathType', 'backend']);
  const pathType = readPathType(reader, item, form);
  const backend = readIngressBackend(reader, item, 'backend', form.strictness);
  if (valueAt(item, 'backend') === undefined) {
    reader.problems.error('missing-key', 'A path of an ingress needs "backend"', reader.position(item));
  }
  const given = reader.text(item, 'path') ?? '';
  if (pathType === undefined) return undefined;
  const path = given === '' && pathType !== 'Exact' && mayBeEmpty(form, pathType) ? '/' : given;
  if (!path.startsWith('/')) {
    return valueAt(item, 'path') === undefined
      ? tellMissingPath(reader, item)
      : reader.wrong(item, 'path', 'a path that begins with "/"');
  }
  if (pathType !== 'ImplementationSpecific' && FORBIDDEN_IN_PATH.test(path)) {
    return reader.wrong(item, 'path', 'a path without "//", "/./", "/../" and "%2f"');
  }
  return backend === undefined ? undefined : { path, pathType, backend };
}

/** The API server takes an empty path only with ImplementationSpecific; the short form takes it for every path. */
function mayBeEmpty({ strictness }: IngressForm, pathType: IngressPathType): boolean {
  return strictness === 'strict' || pathType === 'ImplementationSpecific';
}

function tellMissingPath(reader: Reader, item: Mapping): undefined {
  reader.problems.error('missing-key', 'A path of an ingress needs "path"', reader.position(item));
  return undefined;
}

function readPathType(reader: Reader, item: Mapping, { defaultPathType }: IngressForm): IngressPathType | undefined {
  if (valueAt(item, 'pathType') !== undefined) return reader.oneOf(item, 'pathType', PATH_TYPES);
  if (defaultPathType !== null) return defaultPathType;
  const hint = `One of ${PATH_TYPES.join(', ')}`;
  reader.problems.error('missing-key', 'A path of an ingress needs "pathType"', reader.position(item), hint);
  return undefined;
}

/** A host name in lower case; undefined, with the problem told, for what is none. "" stands for every host. */
function readHost(reader: Reader, container: Mapping | readonly unknown[], key: string | number): string | undefined {
  const host = reader.string(container, key);
  if (host === undefined || host === '') return host;
  const lower = host.toLowerCase();
  if (parseIp(host) !== null) return reader.wrong(container, key, 'a host name', 'An Ingress has no rules for addresses');
  if (HOST.test(lower)) return lower;
  return reader.wrong(container, key, 'a host name', 'A wildcard is the whole first label: *.shop.example');
}

function readTls(reader: Reader, item: Mapping, strictness: Strictness): IngressTls {
  if (strictness === 'strict') reader.allowOnly(item, '"tls" of an ingress', ['hosts', 'secretName']);
  return {
    hosts: reader.items(item, 'hosts', (list, i) => readHost(reader, list, i)) ?? [],
    secretName: reader.string(item, 'secretName') ?? null,
  };
}
