/**
 * Semantic comparison of two iptables-save texts, for golden tests. Tables, chains, policies and rules must agree, in order; counters,
 * comments of the file, the order of chains and tables, and tables that hold nothing but ACCEPT policies don't count. In the chains that
 * real kube-proxy fills in random order, only the rules of each service port must keep their order, and the jumps to node ports stand last.
 */
export function compareRules(expected: string, actual: string): readonly string[] {
  const want = readSave(expected);
  const have = readSave(actual);
  const differences: string[] = [];
  for (const table of new Set([...want.keys(), ...have.keys()])) {
    compareTable(table, want.get(table) ?? new Map(), have.get(table) ?? new Map(), differences);
  }
  return differences;
}

interface SavedChain {
  policy: string;
  readonly rules: string[];
}
type SavedTable = Map<string, SavedChain>;

const IN_RANDOM_ORDER = new Set(['KUBE-SERVICES', 'KUBE-NODEPORTS', 'KUBE-EXTERNAL-SERVICES', 'KUBE-PROXY-FIREWALL']);
const LAST_RULE = 'kubernetes service nodeports';
const SUFFIX =
  / (?:cluster IP|external IP|loadbalancer IP|has no endpoints|has no local endpoints|health check node port|traffic not accepted by KUBE-FW-[A-Z2-7]{16})$/;

function readSave(text: string): Map<string, SavedTable> {
  const tables = new Map<string, SavedTable>();
  let table: SavedTable = new Map();
  for (const line of text.split('\n').map((l) => l.trim())) {
    if (line === '' || line.startsWith('#') || line === 'COMMIT') continue;
    if (line.startsWith('*')) {
      table = new Map();
      tables.set(line.slice(1), table);
    } else if (line.startsWith(':')) {
      const [name = '', policy = '-'] = line.slice(1).split(' ');
      table.set(name, { policy, rules: [] });
    } else {
      const match = /^(?:\[\d+:\d+\] )?-A (\S+) ?(.*)$/.exec(line);
      if (match === null) throw new Error(`not understood: ${line}`);
      const chain = table.get(match[1]!) ?? { policy: '-', rules: [] };
      table.set(match[1]!, chain);
      chain.rules.push(match[2]!);
    }
  }
  for (const [name, chains] of tables) {
    if ([...chains.values()].every((chain) => chain.rules.length === 0 && chain.policy === 'ACCEPT')) tables.delete(name);
  }
  return tables;
}

function compareTable(table: string, want: SavedTable, have: SavedTable, differences: string[]): void {
  for (const name of new Set([...want.keys(), ...have.keys()])) {
    const wanted = want.get(name);
    const had = have.get(name);
    const where = `${table}/${name}`;
    if (wanted === undefined) differences.push(`${where}: chain not expected`);
    else if (had === undefined) differences.push(`${where}: chain missing`);
    else {
      if (wanted.policy !== had.policy) differences.push(`${where}: policy ${had.policy}, expected ${wanted.policy}`);
      if (IN_RANDOM_ORDER.has(name)) compareBlocks(where, wanted.rules, had.rules, differences);
      else compareRuleLists(where, wanted.rules, had.rules, differences);
    }
  }
}

function compareBlocks(where: string, want: readonly string[], have: readonly string[], differences: string[]): void {
  const wanted = blocksOf(want);
  const had = blocksOf(have);
  for (const block of new Set([...wanted.keys(), ...had.keys()])) {
    compareRuleLists(`${where} [${block}]`, wanted.get(block) ?? [], had.get(block) ?? [], differences);
  }
  const firstLast = have.findIndex((rule) => rule.includes(LAST_RULE));
  if (firstLast >= 0 && have.slice(firstLast).some((rule) => !rule.includes(LAST_RULE))) {
    differences.push(`${where}: a rule behind the jump to node ports`);
  }
}

/** Rules by service port; those of the jump to node ports, one an address, come in any order. */
function blocksOf(rules: readonly string[]): Map<string, string[]> {
  const blocks = new Map<string, string[]>();
  for (const rule of rules) {
    const key = (/--comment "([^"]*)"/.exec(rule)?.[1] ?? '').replace(SUFFIX, '');
    blocks.set(key, [...(blocks.get(key) ?? []), rule]);
  }
  for (const [key, block] of blocks) if (key.startsWith(LAST_RULE)) block.sort();
  return blocks;
}

function compareRuleLists(where: string, want: readonly string[], have: readonly string[], differences: string[]): void {
  if (want.join('\n') === have.join('\n')) return;
  for (const rule of want) if (!have.includes(rule)) differences.push(`${where}: - ${rule}`);
  for (const rule of have) if (!want.includes(rule)) differences.push(`${where}: + ${rule}`);
  if ([...want].sort().join('\n') === [...have].sort().join('\n')) differences.push(`${where}: same rules, different order`);
  else if (want.length !== have.length) differences.push(`${where}: ${have.length} rules, expected ${want.length}`);
}
