// The last line of CI: "N passed, N failed[, N skipped]". Usage: node scripts/ci-summary.mjs REPORT.json [FAILED_STEP...]
import { readFileSync } from 'node:fs';

const [reportFile, ...failedSteps] = process.argv.slice(2);

/** Vitest's JSON report, or null when the tests did not get that far. */
function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}

const report = readReport(reportFile);
const files = report?.testResults ?? [];
const tests = files.flatMap((file) => file.assertionResults.map((test) => ({ file: file.name, status: test.status })));
const count = (wanted) => tests.filter(wanted).length;

const passed = count((test) => test.status === 'passed');
const skippedKernelTests = count(
  (test) => test.status !== 'passed' && test.status !== 'failed' && /[\\/]test[\\/]kernel[\\/]/.test(test.file),
);
const skipped = tests.length - passed - count((test) => test.status === 'failed');
// In CI the kernel tests must run: skipping them would hide that nothing was compared with the real thing.
const forbiddenSkips = process.env.CI === 'true' ? skippedKernelTests : 0;
// A file that could not be loaded has no failed test of its own.
const brokenFiles = files.filter(
  (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
).length;
const otherSteps = failedSteps.filter((step) => step !== 'test').length;
const failedTests = count((test) => test.status === 'failed') + brokenFiles;
const unexplained = failedTests === 0 && (failedSteps.includes('test') || report === null) ? 1 : 0;
const failed = failedTests + otherSteps + forbiddenSkips + unexplained;

if (failedSteps.length > 0) console.log(`failed steps: ${failedSteps.join(', ')}`);
if (forbiddenSkips > 0) console.log(`kernel tests skipped: ${forbiddenSkips} (in CI they must run)`);
console.log(`${passed} passed, ${failed} failed${skipped - forbiddenSkips > 0 ? `, ${skipped - forbiddenSkips} skipped` : ''}`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
