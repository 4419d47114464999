/**
 * How long a test waits for what must happen, in milliseconds: far longer than it takes on a machine under load, so that
 * only what never happens meets it. A test itself ends later (testTimeout in vitest.config.ts), and so its failure says
 * what was waited for.
 */
export const PATIENCE_MS = 120_000;
