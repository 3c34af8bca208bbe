/** An option of a match or target module as its own `iptables -m X -h` lists it. */
export interface OptionSpec {
  /** Without the dashes: "dport". */
  readonly name: string;
  /** Other spellings: "destination-port". */
  readonly aliases?: readonly string[];
  /** How many words follow; 1 unless said otherwise. */
  readonly args?: 0 | 1 | 2;
  /** May `!` stand before it (XTOPT_INVERT)? */
  readonly negatable?: true;
  /** A rule without it is refused (XTOPT_MAND). */
  readonly required?: true;
}

/** An option as a rule gives it. */
export interface GivenOption {
  readonly name: string;
  readonly negated: boolean;
  readonly values: readonly string[];
}

export type GivenOptions = ReadonlyMap<string, GivenOption>;

/**
 * Why a rule can't be built: 'refused' where iptables refuses it too (the message is its own), 'kernel' where the kernel does (the
 * message is the error's text, "Invalid argument"), 'not-modelled' where k8snet doesn't know a module. Thrown while a rule is built
 * and caught by those who build rules.
 */
export class RuleError extends Error {
  override readonly name = 'RuleError';
  readonly kind: 'refused' | 'kernel' | 'not-modelled';

  constructor(message: string, kind: 'refused' | 'kernel' | 'not-modelled' = 'refused') {
    super(message);
    this.kind = kind;
  }
}

/** EINVAL, the kernel's usual answer to a rule that can't be. */
export function invalidArgument(): RuleError {
  return new RuleError('Invalid argument', 'kernel');
}

/** The first word behind an option; '' when it was not given. */
export function wordOf(given: GivenOptions, name: string): string {
  return given.get(name)?.values[0] ?? '';
}

/** Refuses a rule that gives more than one of some options, as XTOPT exclusion masks do. */
export function atMostOne(given: GivenOptions, module: string, names: readonly string[]): GivenOption | null {
  const found = names.flatMap((name) => given.get(name) ?? []);
  if (found.length > 1)
    throw new RuleError(`${module}: option "--${found[0]!.name}" cannot be used together with "--${found[1]!.name}".`);
  return found[0] ?? null;
}

/** Refuses a rule that gives none or more than one of some options; `missing` is what the module says when there is none. */
export function exactlyOne(given: GivenOptions, module: string, names: readonly string[], missing: string): GivenOption {
  const option = atMostOne(given, module, names);
  if (!option) throw new RuleError(missing);
  return option;
}
