import { canonicalName } from './names.ts';
import type { ResolvConf } from './resolv-conf.ts';

/** What came of a query for one candidate: found, the name or the type is not there, or no usable answer. */
export type QueryResult = 'found' | 'NXDOMAIN' | 'NODATA' | 'SERVFAIL' | 'timeout' | 'refused';

interface Candidate {
  readonly name: string;
  /** Tried as it is, not below a domain of the search list. */
  readonly asIs: boolean;
}

/**
 * The names that glibc's resolver asks for one after the other, absolute and in canonical form, until one is found
 * (resolv/res_query.c `__res_context_search`). A last dot ends the search before it begins; a name with `ndots` dots or more is
 * tried as it is first, any other last.
 */
export function candidateNames(name: string, conf: Pick<ResolvConf, 'search' | 'ndots'>): readonly string[] {
  return candidates(name, conf).map((candidate) => candidate.name);
}

/**
 * The name that is asked for next, after `results` of the candidates before; null when the search is over. NXDOMAIN, NODATA and
 * SERVFAIL lead on. No answer, or a refused one, ends the way through the search list, but the name as it is still gets its turn; a
 * name server whose port is closed ends all.
 */
export function nextCandidate(
  name: string,
  conf: Pick<ResolvConf, 'search' | 'ndots'>,
  results: readonly QueryResult[],
): string | null {
  let rest: readonly Candidate[] = candidates(name, conf);
  for (const result of results) {
    const [current, ...later] = rest;
    if (current === undefined || result === 'found') return null;
    rest = leadsOn(current, result) ? later : result === 'refused' ? [] : later.filter(({ asIs }) => asIs);
  }
  return rest[0]?.name ?? null;
}

function leadsOn({ asIs }: Candidate, result: QueryResult): boolean {
  return asIs || (result !== 'timeout' && result !== 'refused');
}

/**
 * What the caller is told after a search without success: the name is not there (EAI_NONAME), it has no address (EAI_NODATA), or try
 * again later (EAI_AGAIN). The first try of a name as it is outweighs what the search list said, then NODATA, then SERVFAIL.
 */
export function searchFailure(
  name: string,
  conf: Pick<ResolvConf, 'search' | 'ndots'>,
  results: readonly QueryResult[],
): 'not-found' | 'no-address' | 'try-again' {
  const [first] = results;
  const firstIsAsIs = candidates(name, conf)[0]?.asIs === true;
  if (firstIsAsIs && first !== undefined) return meaningOf(first);
  if (results.includes('NODATA')) return 'no-address';
  if (results.includes('SERVFAIL')) return 'try-again';
  const last = results.at(-1);
  return last === undefined ? 'not-found' : meaningOf(last);
}

function meaningOf(result: QueryResult): 'not-found' | 'no-address' | 'try-again' {
  if (result === 'NODATA') return 'no-address';
  return result === 'NXDOMAIN' ? 'not-found' : 'try-again';
}

function candidates(name: string, { search, ndots }: Pick<ResolvConf, 'search' | 'ndots'>): readonly Candidate[] {
  const asIs: Candidate = { name: canonicalName(name), asIs: true };
  if (name.endsWith('.')) return [asIs];
  const dots = name.split('.').length - 1;
  const first = dots >= ndots;
  const below: readonly Candidate[] = search.map((domain) => ({
    name: domain === '' ? asIs.name : `${asIs.name}.${domain}`,
    asIs: false,
  }));
  // The root on the search list is the name as it is already.
  if (first) return [asIs, ...below];
  return search.includes('') ? below : [...below, asIs];
}
