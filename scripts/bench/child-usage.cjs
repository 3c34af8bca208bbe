// Preloaded (node --require) into a measured process: tells at its end, on descriptor 3, what it has used.
'use strict';

const { writeSync } = require('node:fs');

process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  writeSync(3, JSON.stringify({ cpu: (userCPUTime + systemCPUTime) / 1e3, peak: maxRSS * 1024 }));
});
