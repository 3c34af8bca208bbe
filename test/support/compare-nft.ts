/**
 * Semantic comparison of two `nft list ruleset` texts, for golden tests: tables, sets, maps and chains with their lines in order. The
 * order of objects in a table and of elements in a set doesn't count, since real kube-proxy's is random.
 */
export function compareNft(expected: string, actual: string): readonly string[] {
  const want = readListing(expected);
  const have = readListing(actual);
  return [...new Set([...want.keys(), ...have.keys()])].flatMap((key) => {
    const [wanted, had] = [want.get(key), have.get(key)];
    if (wanted === undefined) return [`${key}: not expected`];
    if (had === undefined) return [`${key}: missing`];
    return wanted === had ? [] : [`${key}:\n- ${wanted}\n+ ${had}`];
  });
}

/** Each object's lines as one text, by "table ip kube-proxy / chain services". */
function readListing(text: string): ReadonlyMap<string, string> {
  const objects = new Map<string, string>();
  for (const [, table, body] of text.matchAll(/^table (.*) \{\n([\s\S]*?)^\}/gm)) {
    for (const [, head] of body!.matchAll(/^\t(\w+ ".*")$/gm)) objects.set(`table ${table} / ${head}`, '');
    for (const [, object, lines] of body!.matchAll(/^\t(\w+ \S+) \{\n([\s\S]*?)^\t\}/gm)) {
      objects.set(`table ${table} / ${object}`, withSortedElements(lines!));
    }
  }
  return objects;
}

function withSortedElements(lines: string): string {
  return lines.replace(/elements = \{([\s\S]*)\}/, (_, inner: string) => {
    const elements = inner.split(/,\s+(?=[^"]*(?:"[^"]*"[^"]*)*$)/).map((element) => element.trim());
    return `elements:\n${elements.sort().join('\n')}`;
  });
}
