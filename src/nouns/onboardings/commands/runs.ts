/**
 * Runs of an entity through a playbook, shared by `users kyc`, `businesses kyb` and the onboarding commands (contract
 * §4.2, §10): starting a run, waiting for its outcome, and checking the outcome against the expected one.
 */
import { option as optionArg, string as stringArg } from '@oclif/core/args';
import { boolean, option, string } from '@oclif/core/flags';
import { ONBOARDING_STATUSES, TERMINAL_STATUSES, type OnboardingStatus } from '../facts.ts';
import { OUTCOMES } from '../../outcomes/facts.ts';
import { pollUntil } from '../../../kernel/time/poll-until.ts';
import type { Client } from '../../../client/client.ts';
import type { AnswerOf, RequestOf } from '../../../contract/registry.ts';
import { DAY_MS, MINUTE_MS } from '../../../kernel/numbers/units.ts';
import { CliError } from '../../../cli/shell/failure.ts';
import { byDefault, durationFlag, durationText } from '../../../cli/shell/times.ts';
import { type FlagValues, liveFlag, whyFlag, needing } from '../../../cli/shell/flags.ts';
import { defined } from '../../../kernel/defined.ts';

/** The expected result of an onboarding: a status, or a manual review. */
const EXPECTATIONS = [...ONBOARDING_STATUSES, 'manual_review'] as const;
export type ExpectedOutcome = (typeof EXPECTATIONS)[number];

const TERMINAL: ReadonlySet<OnboardingStatus> = new Set(TERMINAL_STATUSES);

export const onboardingArg = {
  id: stringArg({ description: 'id of the onboarding (ob_…)', required: true }),
};

export const outcomeArg = {
  outcome: optionArg({ description: `the outcome: ${OUTCOMES.join(', ')}`, options: OUTCOMES })({
    required: true,
  }),
};

export type Onboarding = AnswerOf<'GET /onboardings/{id}'>;
/** The response of a run. An onboarding has the same members and more. */
export type RunResult = AnswerOf<'POST /users/{fp_id}/kyc'>;

const POLL_MS = 200;

export const waitFlags = {
  wait: boolean({
    summary: 'wait until it is pass, fail, none or error; exit code 124 when the time runs out',
  }),
  timeout: needing(
    durationFlag({ summary: 'how long --wait waits (default: 1m)', max: DAY_MS, ...byDefault(MINUTE_MS) }),
    'wait',
  ),
  expect: option({
    summary: 'exit code 1 unless this is the result; manual_review means that a person has to review it',
    options: EXPECTATIONS,
  })(),
};

/**
 * Waits until the onboarding is terminal; reads it at least once. Throws CliError 124 after `timeoutMs` of real time,
 * whatever the instance's clock shows.
 */
export async function waitForOutcome(client: Client, id: string, timeoutMs: number): Promise<Onboarding> {
  const read = () => client.call('GET /onboardings/{id}', { params: { id } });
  let onboarding = await read();
  const isDone = async () =>
    TERMINAL.has(onboarding.status) || TERMINAL.has((onboarding = await read()).status);
  if (await pollUntil(isDone, { everyMs: POLL_MS, timeoutMs })) return onboarding;
  throw new CliError(`The onboarding is still ${onboarding.status} after ${durationText(timeoutMs)}`, {
    code: 'timed_out',
    context: { onboarding_id: id },
    hint:
      onboarding.status === 'incomplete'
        ? 'it waits for the person, for example for a document image'
        : 'kyclone clock advance runs delayed work, kyclone onboardings resolve ends it',
  });
}

/** What people see of a result that differs from the expected one; undefined when it is the expected one. */
export function unexpected(
  run: Pick<RunResult, 'status' | 'requires_manual_review'>,
  expected: ExpectedOutcome | undefined,
): string | undefined {
  const isMet =
    expected === undefined ||
    (expected === 'manual_review' ? run.requires_manual_review : run.status === expected);
  if (isMet) return undefined;
  const review = run.requires_manual_review ? ', to be reviewed' : '';
  return `Expected ${expected}; it is ${run.status}${review}`;
}

type RunBody = RequestOf<'POST /users/{fp_id}/kyc'>['body'];

export const runFlags = {
  playbook: string({ summary: 'key of the playbook (default: the built-in one)', helpValue: 'KEY' }),
  result: option({ summary: 'the outcome (sandbox only)', options: OUTCOMES })(),
  'no-reonboard': boolean({ summary: 'refuse when it was onboarded on this playbook before' }),
  'external-id': string({ summary: 'your id for the onboarding', helpValue: 'ID' }),
  ...whyFlag,
  ...waitFlags,
  ...liveFlag,
};

/** The playbook of this kind that every environment starts with. */
export function defaultPlaybook(kind: 'kyc' | 'kyb', isLive = false): string {
  return `pb_${isLive ? 'live' : 'test'}_${kind}default000000000000`;
}

export function runBody(
  kind: 'kyc' | 'kyb',
  flags: Partial<FlagValues<typeof runFlags>> & { readonly 'link-on-step-up'?: boolean },
): RunBody {
  return {
    key: flags.playbook ?? defaultPlaybook(kind, flags.live),
    ...defined({
      fixture_result: flags.result,
      allow_reonboard: flags['no-reonboard'] ? false : undefined,
      onboarding_external_id: flags['external-id'],
      reason: flags.reason,
      generate_link_on_stepup: flags['link-on-step-up'] || undefined,
    }),
  };
}
