// How cost grows with the number of services, as SVG: both axes logarithmic, so that a straight line is a power and its slope the exponent.

const WIDTH = 760;
const HEIGHT = 440;
const BOX = { left: 70, right: 190, top: 44, bottom: 54 };

/** Colours that people who see few colours tell apart too (Okabe and Ito). */
const SERIES = [
  { key: 'rules', name: 'k8snet rules', colour: '#d55e00' },
  { key: 'trace', name: 'k8snet trace', colour: '#0072b2' },
  { key: 'parse', name: 'JSON.parse alone', colour: '#777777', dashes: '6 4' },
  { key: 'walk', name: 'one walk, in process', colour: '#009e73' },
];

const escaped = (text) => text.replace(/[&<>]/g, (char) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[char]);

/** The powers of ten that hold all numbers. */
function decades(numbers) {
  const low = Math.floor(Math.log10(Math.min(...numbers)));
  const high = Math.ceil(Math.log10(Math.max(...numbers)));
  return Array.from({ length: Math.max(high, low + 1) - low + 1 }, (_, i) => 10 ** (low + i));
}

function scaleOf(ticks, from, to) {
  const [low, high] = [Math.log10(ticks[0]), Math.log10(ticks.at(-1))];
  return (value) => (from + ((Math.log10(value) - low) / (high - low)) * (to - from)).toFixed(1);
}

const milliseconds = (value) =>
  value >= 1000 ? `${value / 1000} s` : value >= 1 ? `${value} ms` : `${Number((value * 1000).toPrecision(1))} µs`;

/** The plot of a report's growth. */
export function plotSvg({ growth, machine, date }) {
  const xTicks = decades(growth.map(({ services }) => services));
  const yTicks = decades(growth.flatMap((point) => SERIES.map(({ key }) => point[key])));
  const x = scaleOf(xTicks, BOX.left, WIDTH - BOX.right);
  const y = scaleOf(yTicks, HEIGHT - BOX.bottom, BOX.top);
  const text = (at, down, words, more = '') => `<text x="${at}" y="${down}"${more}>${escaped(words)}</text>`;
  const grid = [
    ...xTicks.flatMap((tick) => [
      `<path class="grid" d="M${x(tick)} ${BOX.top}V${HEIGHT - BOX.bottom}"/>`,
      text(x(tick), HEIGHT - BOX.bottom + 18, tick.toLocaleString('en'), ' text-anchor="middle"'),
    ]),
    ...yTicks.flatMap((tick) => [
      `<path class="grid" d="M${BOX.left} ${y(tick)}H${WIDTH - BOX.right}"/>`,
      text(BOX.left - 8, Number(y(tick)) + 4, milliseconds(tick), ' text-anchor="end"'),
    ]),
  ];
  const lines = SERIES.flatMap(({ key, name, colour, dashes }) => {
    const points = growth.map((point) => `${x(point.services)},${y(point[key])}`);
    const [lastX, lastY] = points.at(-1).split(',').map(Number);
    return [
      `<polyline points="${points.join(' ')}" fill="none" stroke="${colour}" stroke-width="2"${dashes ? ` stroke-dasharray="${dashes}"` : ''}/>`,
      ...points.map((point) => `<circle cx="${point.split(',')[0]}" cy="${point.split(',')[1]}" r="3" fill="${colour}"/>`),
      text(lastX + 10, lastY + 4, name, ` fill="${colour}"`),
    ];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12" fill="#555">`,
    '<title>CPU time by number of services</title>',
    '<style>.grid{stroke:#ccc;stroke-width:1}</style>',
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    text(BOX.left, 22, 'CPU time by number of services (200 nodes, 3 endpoints each)', ' font-size="14" fill="#222"'),
    ...grid,
    text(BOX.left, HEIGHT - 8, `services · ${machine} · ${date}`),
    ...lines,
    '</svg>',
    '',
  ].join('\n');
}
