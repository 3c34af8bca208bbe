export * from './check-report.ts';
export * from './event.ts';
export * from './lab-report.ts';
export * from './origin.ts';
export * from './outcome.ts';
export * from './rules-diff.ts';
export * from './trace.ts';
