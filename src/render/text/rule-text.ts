import type { RuleEvent } from '../../trace/event.ts';

/** What a rule's text says about itself. */
export interface RuleParts {
  /** Chain or target of -j/-g; null for a rule without one. */
  readonly target: string | null;
  /** Options behind the target: "--to-destination 10.244.1.2:8080". */
  readonly targetOptions: string;
  readonly comment: string | null;
  /** Of a statistic match in random mode. */
  readonly probability: number | null;
}

/** Takes apart the text of a rule, as iptables-save or nft prints it. */
export function ruleParts({ text, family, target }: Pick<RuleEvent, 'text' | 'family' | 'target'>): RuleParts {
  return family === undefined ? iptablesParts(text) : nftParts(text, target ?? null);
}

function iptablesParts(text: string): RuleParts {
  const comment = /--comment (?:"((?:[^"\\]|\\.)*)"|(\S+))/.exec(text);
  // The comment goes first: it may hold anything, "-j DROP" too.
  const bare = comment ? text.replace(comment[0], '') : text;
  const jump = / -[jg] (\S+)(?: (.*))?$/.exec(bare);
  const probability = /--probability ([\d.]+)/.exec(bare);
  return {
    target: jump?.[1] ?? null,
    targetOptions: jump?.[2]?.trim() ?? '',
    comment: comment ? (comment[1]?.replace(/\\(.)/g, '$1') ?? comment[2] ?? null) : null,
    probability: probability ? Number(probability[1]) : null,
  };
}

/** What an nftables rule does, behind its tests: "masquerade fully-random", "meta mark set meta mark | 0x00004000". */
const NFT_ACTION =
  /(?:^| )(accept|drop|return|reject|masquerade|redirect|dnat|snat|meta mark set|ct mark set|notrack|update|add|delete)(?: (.*))?$/;

function nftParts(text: string, chain: string | null): RuleParts {
  const comment = / comment "([^"]*)"$/.exec(text);
  const bare = comment ? text.slice(0, comment.index) : text;
  const action = NFT_ACTION.exec(bare);
  const modulus = /numgen random mod (\d+)/.exec(bare);
  return {
    target: chain ?? action?.[1] ?? null,
    targetOptions: chain === null ? (action?.[2] ?? '') : '',
    comment: comment?.[1] ?? null,
    probability: modulus && modulus[1] !== '1' ? 1 / Number(modulus[1]) : null,
  };
}
