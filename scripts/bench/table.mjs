// The report of the benchmark as tables: for the terminal, and as Markdown.

const TITLES = ['', 'measured', 'yardstick', 'own', 'yardstick', 'ratio', 'target'];

function figure(value, unit) {
  if (value === null) return '';
  switch (unit) {
    case 'bytes':
      return `${(value / 2 ** 20).toFixed(0)} MiB`;
    case '1/s':
      return `${Math.round(value)}/s`;
    default:
      return `${value < 100 ? value.toFixed(1) : value.toFixed(0)} ${unit}`;
  }
}

function targetOf({ target, unit }) {
  if (target === null) return '';
  return unit === '1/s' ? `≥ ${target}/s` : `≤ ${target} ×`;
}

function cells({ rows }) {
  return rows.map((row) => [
    String(row.item),
    row.what,
    row.yardstick ?? '',
    figure(row.value, row.unit),
    figure(row.base, row.unit),
    row.ratio === null ? '' : `${row.ratio.toFixed(2)} ×`,
    targetOf(row),
  ]);
}

/** For the terminal. */
export function tableText(report) {
  const lines = [TITLES, ...cells(report)];
  const widths = TITLES.map((_, c) => Math.max(...lines.map((line) => line[c].length)));
  const text = lines.map((line) =>
    line
      .map((cell, c) => (c < 3 ? cell.padEnd(widths[c]) : cell.padStart(widths[c])))
      .join('  ')
      .trimEnd(),
  );
  return `${report.machine}, ${report.date}\n\n${text.join('\n')}`;
}

/** For a page of the documentation. */
export function tableMarkdown(report) {
  const lines = cells(report).map((line) => `| ${line.join(' | ')} |`);
  return [`| ${TITLES.join(' | ')} |`, '| - | --- | --- | ---: | ---: | ---: | ---: |', ...lines].join('\n');
}
