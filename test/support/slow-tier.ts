/**
 * Marks a test file of the slow tier that starts no process. It waits for real deadlines, or draws hundreds of frames.
 * `npm run test:fast` leaves out files that import this one (test/tiers.ts).
 */
export {};
