import { generateCase } from './generate.ts';
import { runCase, scenarioText, withoutRefused } from './case.ts';
import { shrink } from './shrink.ts';
import { describeDifference } from './describe.ts';

/** `npm run fuzz:kernel -- --seeds A-B [--probes N] [--no-shrink] [--print]`: random clusters against the kernel; exit code 1 if one differs. */
export async function main(args: readonly string[], packageRoot: string): Promise<number> {
  const [, from, to] = /^(\d+)(?:-(\d+))?$/.exec(option(args, '--seeds') ?? '') ?? [];
  if (from === undefined) {
    console.error('usage: npm run fuzz:kernel -- --seeds A-B [--probes N] [--no-shrink] [--print]');
    return 2;
  }
  const first = Number(from);
  const last = Number(to ?? from);
  const probes = Number(option(args, '--probes') ?? 20);
  const lab = `k8snet-fuzz${process.pid}`;
  const refusals = new Map<string, number>();
  let agreed = 0;
  let differing = 0;
  for (let seed = first; seed <= last; seed++) {
    const { draft, refused } = withoutRefused(generateCase(seed, probes));
    for (const message of refused) refusals.set(message, (refusals.get(message) ?? 0) + 1);
    if (args.includes('--print')) {
      console.log(scenarioText(draft, `seed ${seed}`));
      continue;
    }
    try {
      const results = await runCase(draft, lab, packageRoot);
      const different = results.filter(({ agrees }) => !agrees);
      agreed += results.length - different.length;
      differing += different.length;
      console.log(`seed ${seed}: ${results.length - different.length} of ${results.length} agree`);
      for (const check of different) console.log(describeDifference(check));
      const [worst] = different;
      if (worst && !args.includes('--no-shrink')) {
        const small = await shrink(draft, worst, lab, packageRoot);
        console.log(scenarioText(small, `seed ${seed}, ${worst.difference?.what ?? worst.error}`));
      }
    } catch (error) {
      differing++;
      console.log(`seed ${seed}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  for (const [message, count] of refusals) console.log(`refused ${count}: ${message}`);
  console.log(`${last - first + 1} clusters: ${agreed} probes agree, ${differing} differ`);
  return differing === 0 ? 0 : 1;
}

function option(args: readonly string[], name: string): string | undefined {
  const at = args.indexOf(name);
  return at < 0 ? undefined : args[at + 1];
}
