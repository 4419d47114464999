/**
 * Marks a test file outside the fast tier that changes its process permanently: its streams, working directory,
 * environment or colours. Such a file shares its process with no other file (test/tiers.ts).
 */
export {};
