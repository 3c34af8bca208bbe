import type { IpAddress } from '../../net/ip.ts';

/** What a reference may name by kind. */
export type RefKind = 'pod' | 'node' | 'external' | 'svc' | 'deploy' | 'sts' | 'ds' | 'rs';

/** A reference as written, taken apart but not looked up (design, section 4). */
export type Ref =
  | {
      readonly form: 'object';
      readonly kind: RefKind;
      readonly namespace: string | null;
      readonly name: string;
      readonly port: string | null;
    }
  | { readonly form: 'address'; readonly address: IpAddress; readonly port: number | null }
  | { readonly form: 'dns'; readonly name: string; readonly port: string | null }
  | { readonly form: 'url'; readonly url: string };

/** A value, or one sentence on why there is none. */
export type Result<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly message: string };

export function found<T>(value: T): Result<T> {
  return { ok: true, value };
}

export function refused(message: string): { readonly ok: false; readonly message: string } {
  return { ok: false, message };
}

const ALIASES: Readonly<Record<RefKind, readonly string[]>> = {
  pod: ['pod', 'po', 'pods'],
  node: ['node', 'no', 'nodes'],
  external: ['external', 'ext', 'externals'],
  svc: ['svc', 'service', 'services'],
  deploy: ['deploy', 'deployment', 'deployments'],
  sts: ['sts', 'statefulset', 'statefulsets'],
  ds: ['ds', 'daemonset', 'daemonsets'],
  rs: ['rs', 'replicaset', 'replicasets'],
};

const KIND_OF_ALIAS: ReadonlyMap<string, RefKind> = new Map(
  (Object.entries(ALIASES) as [RefKind, readonly string[]][]).flatMap(([kind, names]) =>
    names.map((name) => [name, kind] as const),
  ),
);

/** The kind behind one of kubectl's names for it ("po", "Services", "deploy.apps"); undefined when there is none. */
export function kindOfAlias(text: string): RefKind | undefined {
  return KIND_OF_ALIAS.get(text.toLowerCase().replace(/\.apps$/, ''));
}

/** All names a kind may be given by. */
export function kindAliases(): Iterable<string> {
  return KIND_OF_ALIAS.keys();
}

/** True for kinds whose objects live in no namespace. */
export function isClusterScoped(kind: RefKind): boolean {
  return kind === 'node' || kind === 'external';
}
