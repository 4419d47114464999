/** Waiting for an onboarding to come to something, and saying whether that is what was expected. */
import { boolean, option } from '@oclif/core/flags';
import { pollUntil } from '../../client/discover.ts';
import type { Client } from '../../client/client.ts';
import type { AnswerOf } from '../../contract/registry.ts';
import { SECOND_MS } from '../../kernel/units.ts';
import { EXIT } from '../shell/exit-codes.ts';
import { CliError } from '../shell/failure.ts';
import { integerFlag } from '../shell/flags.ts';
import { EXPECTATIONS, TERMINAL, type Expectation } from './words.ts';

export type Onboarding = AnswerOf<'GET /onboardings/{id}'>;
/** What a run answers; an onboarding says all of it, and more. */
export type RunResult = AnswerOf<'POST /users/{fp_id}/kyc'>;

const POLL_MS = 200;

export const waitFlags = {
  wait: boolean({ summary: 'wait until it is pass, fail, none or error; exit code 124 when the time is up' }),
  timeout: integerFlag({
    summary: 'how long --wait waits, 60 unless given',
    default: 60,
    min: 0,
    max: 86_400,
    helpValue: 'SECONDS',
  }),
  expect: option({
    summary: 'exit code 1 unless it is this; manual_review is one that a person has to review',
    options: EXPECTATIONS,
  })(),
};

/**
 * The onboarding once it is terminal, asked for at least once. Throws CliError 124 after `timeout` seconds of the real
 * time, whatever the clock of the instance does.
 */
export async function waitForOutcome(client: Client, id: string, timeout: number): Promise<Onboarding> {
  const read = () => client.call('GET /onboardings/{id}', { params: { id } });
  let onboarding = await read();
  const isDone = async () =>
    TERMINAL.has(onboarding.status) || TERMINAL.has((onboarding = await read()).status);
  if (await pollUntil(isDone, { everyMs: POLL_MS, timeoutMs: timeout * SECOND_MS })) return onboarding;
  throw new CliError(`The onboarding is still ${onboarding.status} after ${timeout} s`, {
    code: 'timed_out',
    exitCode: EXIT.timedOut,
    context: { onboarding_id: id },
    hint:
      onboarding.status === 'incomplete'
        ? 'it waits for what the person is to do, such as a document image'
        : 'kyclone clock advance brings about what is delayed, kyclone onboardings resolve ends it',
  });
}

/** The exit code under `--expect`, and what is said when it isn't 0. */
export function judged(
  run: Pick<RunResult, 'status' | 'requires_manual_review'>,
  expected: Expectation | undefined,
): { exitCode: number; note: string | undefined } {
  const isMet =
    expected === undefined ||
    (expected === 'manual_review' ? run.requires_manual_review : run.status === expected);
  if (isMet) return { exitCode: EXIT.ok, note: undefined };
  const review = run.requires_manual_review ? ', to be reviewed' : '';
  return { exitCode: EXIT.failed, note: `Expected ${expected}; it is ${run.status}${review}` };
}
