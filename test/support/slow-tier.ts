/**
 * Marks a test file of the slow tier that starts no process: it waits for real deadlines, or draws hundreds of frames.
 * A file that imports this one leaves `npm run test:fast` (test/tiers.ts).
 */
export {};
