/**
 * Marks a test file of the slow tier that changes its process for good: its streams, working directory, environment or
 * colours. Such a file shares its process with no other (test/tiers.ts).
 */
export {};
