/** How runs may end, and what chooses it (contract §4.3, §4.4). */

/** The possible outcomes of a run (contract §4.4). */
export const OUTCOMES = ['pass', 'fail', 'manual_review', 'step_up', 'none', 'error', 'pending'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Prefixes of sandbox ids, in any case, that choose the outcome of runs (contract §4.3). */
const SANDBOX_PREFIXES: Readonly<Record<string, Outcome>> = {
  pass: 'pass',
  fail: 'fail',
  manualreview: 'manual_review',
  stepup: 'step_up',
  error: 'error',
  pending: 'pending',
};

/** The outcome chosen by a sandbox id; undefined when it chooses none. */
export function outcomeOfSandboxId(sandboxId: string): Outcome | undefined {
  const folded = sandboxId.toLowerCase();
  return Object.entries(SANDBOX_PREFIXES).find(([prefix]) => folded.startsWith(prefix))?.[1];
}
