import type { IngressPath } from '../model/ingress.ts';

/**
 * Does a path of an Ingress take a request path? Exact compares the whole text; Prefix compares element by element and passes over a
 * trailing slash (the Ingress specification); ImplementationSpecific is a prefix of the text, as ingress-nginx makes of it.
 */
export function takesPath({ path, pathType }: Pick<IngressPath, 'path' | 'pathType'>, request: string): boolean {
  switch (pathType) {
    case 'Exact':
      return request === path;
    case 'Prefix': {
      const prefix = withoutTrailingSlash(path);
      return request === prefix || request.startsWith(`${prefix}/`);
    }
    case 'ImplementationSpecific':
      return request.startsWith(path);
  }
}

/**
 * The path of a request's target as nginx matches it: without query and fragment, %XX decoded, slashes merged (merge_slashes), "/" when
 * empty. What can't be decoded stays as it is.
 */
export function requestPath(target: string): string {
  const path = decoded(target.replace(/[?#].*$/s, '')).replace(/\/{2,}/g, '/');
  return path === '' ? '/' : path;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

const RANKS: Readonly<Record<IngressPath['pathType'], number>> = { Exact: 0, Prefix: 1, ImplementationSpecific: 2 };

/** Orders paths as they are tried: the longest first; of equal length Exact, then Prefix, then ImplementationSpecific. */
export function comparePaths(a: IngressPath, b: IngressPath): number {
  return lengthOf(b) - lengthOf(a) || RANKS[a.pathType] - RANKS[b.pathType];
}

function lengthOf({ path, pathType }: IngressPath): number {
  return pathType === 'Prefix' ? withoutTrailingSlash(path).length : path.length;
}

function withoutTrailingSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path;
}
