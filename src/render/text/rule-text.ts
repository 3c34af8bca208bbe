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

/** Takes apart a rule as iptables-save prints it. */
export function ruleParts(text: string): RuleParts {
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
