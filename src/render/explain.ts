import { printableDeep } from './printable.ts';
import { finish, wrap } from './style.ts';
import type { ExplainedChain, ExplainedRule } from '../trace/explanation.ts';
import type { Style } from './style.ts';

/** What a chain is for, whose it is, and what its rules do. Ends with a line break. */
export function explanationText(explanation: ExplainedChain, style: Style): string {
  const { name, sentence, origin, rules } = printableDeep(explanation);
  const { chalk } = style;
  const whose = [origin.object, `made by ${origin.by}`].filter((part) => part !== null).join(', ');
  const head = wrap(`${name}: ${sentence}.`, style.width).map((line, i) =>
    i === 0 ? line.replace(name, chalk.bold(name)) : line,
  );
  const tables = [...new Set(rules.map((rule) => rule.table))];
  const body = tables.flatMap((table) => [
    '',
    chalk.cyan(table),
    ...rules.filter((rule) => rule.table === table).flatMap((rule) => ruleLines(rule, style)),
  ]);
  return finish(`${[...head, chalk.dim(whose), ...body].join('\n')}\n`, style);
}

function ruleLines({ rule, text, sentence }: ExplainedRule, { chalk }: Style): readonly string[] {
  const number = `#${rule}`.padEnd(4);
  return [`  ${number} ${text}`, ...(sentence === null ? [] : [chalk.dim(`       ↳ ${sentence}`)])];
}
