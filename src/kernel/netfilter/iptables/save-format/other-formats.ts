/** What programs print that people take for iptables-save's output. */
const OTHER_FORMATS: readonly { readonly what: string; readonly test: RegExp }[] = [
  { what: 'output of nft list ruleset', test: /^\s*table (ip|ip6|inet|arp|bridge|netdev) \S+ \{/m },
  { what: 'output of nft -j list ruleset', test: /^\s*\{\s*"nftables"/ },
  { what: 'output of ipset save', test: /^(create|add) \S+ (hash|bitmap|list|\d)/m },
  { what: 'output of iptables -L', test: /^Chain \S+ \((policy|\d+ references)/m },
  { what: 'output of ipvsadm', test: /^(IP Virtual Server|-A -[tuf] )/m },
  { what: 'output of ip route', test: /^(default via|\S+ dev) \S+/m },
];

/** Names what a text without a table of iptables-save is; null: nothing known. */
export function otherFormat(text: string): string | null {
  return OTHER_FORMATS.find(({ test }) => test.test(text))?.what ?? null;
}
