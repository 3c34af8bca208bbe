/** What a rule's text says, as far as recognising it needs. */
export interface RuleText {
  readonly body: string;
  /** Text of `-m comment`, unquoted; '' without one. */
  readonly comment: string;
  /** Target or chain behind -j or -g; '' without one. */
  readonly target: string;
  /** Value of an option: `--dport`, `-s`, `--to-destination` ...; null when absent. */
  option(name: string): string | null;
  has(text: string): boolean;
}

/** Reads a rule in iptables-save's form (the part behind "-A CHAIN "). */
export function readRuleText(body: string): RuleText {
  const comment = /--comment (?:"((?:[^"\\]|\\.)*)"|(\S+))/.exec(body);
  // What stands in a comment is not an option.
  const options = ` ${body.replace(/--comment "(?:[^"\\]|\\.)*"/, '')} `;
  return {
    body,
    comment: (comment?.[1] ?? comment?.[2] ?? '').replace(/\\(.)/g, '$1'),
    target: / -[jg] (\S+)/.exec(options)?.[1] ?? '',
    option(name) {
      const at = options.indexOf(` ${name} `);
      return at < 0 ? null : (options.slice(at + name.length + 2).split(' ', 1)[0] ?? null);
    },
    has: (text) => options.includes(text),
  };
}
