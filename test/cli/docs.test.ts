import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { k8snet, ROOT } from './run-k8snet.ts';

const DOCUMENTS = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
const COMMANDS = ['trace', 'rules', 'check', 'topology', 'explain'];

interface Block {
  readonly language: string;
  readonly lines: readonly string[];
}

function blocksOf(file: string): readonly Block[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language = '', body = '']) => ({
    language,
    lines: body.trimEnd().split('\n'),
  }));
}

/** Words of a command line as a shell takes them, quotes understood. */
function words(line: string): readonly string[] {
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, single, double, bare]) => single ?? double ?? bare ?? '');
}

describe.each(DOCUMENTS)('%s', (file) => {
  const blocks = blocksOf(file);

  test('closes every block', () => {
    expect((readFileSync(join(ROOT, file), 'utf8').match(/^```/gm) ?? []).length % 2).toBe(0);
  });

  const examples = blocks
    .filter(({ language }) => language === 'sh')
    .flatMap(({ lines }) => lines.filter((line) => line.startsWith('k8snet ')));
  test.runIf(examples.length > 0).each(examples)('%s', (line) => {
    const { status, stderr } = k8snet(words(line).slice(1));
    expect(stderr).not.toContain('error:');
    expect([0, 1]).toContain(status);
  });

  const sessions = blocks.filter(({ lines }) => /^\$ k8snet /.test(lines[0] ?? '') && lines.length > 1);
  test.runIf(sessions.length > 0).each(sessions.map(({ lines }) => [lines[0]!, lines.slice(1)] as const))(
    'prints what it shows: %s',
    (line, output) => {
      expect(
        k8snet(words(line.slice(2)).slice(1))
          .stdout.trimEnd()
          .split('\n'),
      ).toEqual(output);
    },
  );

  const scenarios = blocks.filter(
    ({ language, lines }) => language === 'yaml' && lines.some((line) => line.startsWith('checks:')),
  );
  test.runIf(scenarios.length > 0).each(scenarios.map(({ lines }) => [lines.join('\n')]))('its scenario holds', (text) => {
    const { status, stdout } = k8snet(['check', '-'], { input: text });
    expect(stdout).toMatch(/, 0 failed/);
    expect(status).toBe(0);
  });

  const links = [...readFileSync(join(ROOT, file), 'utf8').matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(([, target]) => target!);
  test.runIf(links.length > 0).each(links)('its link to %s leads somewhere', (target) => {
    expect(() => readFileSync(join(ROOT, file, '..', target))).not.toThrow();
  });
});

describe('examples of --help', () => {
  const examples = COMMANDS.flatMap((command) => {
    const [, text = ''] = k8snet([command, '--help']).stdout.split('Examples:\n');
    return text.split('\n').flatMap((line) => (/^ {2}k8snet /.test(line) ? [line.trim().replace(/ {2,}.*| \|.*/, '')] : []));
  });

  // A file of the user's own: the tutorial stands in for it. Reports go nowhere.
  test.each(examples)('%s', (line) => {
    const args = words(line)
      .slice(1)
      .filter((word, i, all) => word !== '--output-file' && all[i - 1] !== '--output-file');
    const { status, stderr } = k8snet(args.map((word) => (word === 'cluster.yaml' ? 'scenarios/tutorial.yaml' : word)));
    expect(stderr).not.toContain('error:');
    expect([0, 1]).toContain(status);
  });
});

test('the first two commands of the README are those of a newcomer', () => {
  const commands = blocksOf('README.md')
    .filter(({ language }) => /^(sh|bash|console|shell)$/.test(language))
    .flatMap(({ lines }) => lines);
  expect(commands.slice(0, 2)).toEqual(['npm install && npx k8snet trace', 'npm test']);
});
