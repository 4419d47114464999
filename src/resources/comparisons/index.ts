export { comparisonHandlers } from './handlers.ts';
export { createComparisons, type Comparisons } from './service.ts';
