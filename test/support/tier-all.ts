/**
 * Marks a test file that only `npm run test:all` runs (test/tiers.ts): it takes long, or needs more than Node. A helper
 * that needs a tool imports this, so that each test that uses it has the mark.
 */
export {};
