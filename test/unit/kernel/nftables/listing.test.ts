import { readFileSync, readdirSync, existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseRuleset } from '../../../../src/kernel/netfilter/nftables/parse.ts';
import { printRuleset } from '../../../../src/kernel/netfilter/nftables/print.ts';

const GOLDEN = new URL('../../../golden/', import.meta.url);

function reprint(text: string): string {
  const parsed = parseRuleset(text);
  if (!parsed.ok) throw new Error(`line ${parsed.line}: ${parsed.message}`);
  return printRuleset(parsed.ruleset);
}

describe('what nft listed for real kube-proxies', () => {
  const files = ['kube-proxy', 'kube-proxy-random'].flatMap((set) =>
    readdirSync(new URL(set, GOLDEN)).map((name) => `${set}/${name}/nft.txt`),
  );
  test.each(files.filter((file) => existsSync(new URL(file, GOLDEN))))('%s reads and prints the same', (file) => {
    const text = readFileSync(new URL(file, GOLDEN), 'utf8');
    expect(reprint(text)).toBe(text);
  });
});
