/** `users kyc` is run often, so these are apart from `entities.ts`, which loads more. */
import { boolean } from '@oclif/core/flags';
import type { Client } from '../../../client/client.ts';
import { runBody, runFlags, waitForOutcome, type RunResult } from './runs.ts';
import { asExpected, runView } from './view.ts';
import { derived } from '../../../cli/shell/derived.ts';
import { businessArg, userArg } from '../../../cli/shell/flags.ts';

const headlessRun = {
  ...asExpected,
  description:
    'The exit code is 0 with any outcome, unless --expect names the required one. With --json it prints the response of the run; ' +
    'with --wait, the final onboarding, which has the same members and more.',
  after: async (
    started: RunResult,
    { flags }: { readonly flags: { readonly wait: boolean; readonly timeout: number } },
    { client }: { readonly client: Client },
  ): Promise<RunResult> =>
    flags.wait ? await waitForOutcome(client, started.onboarding_id, flags.timeout) : started,
  view: runView,
};

export default {
  'users:kyc': derived('POST /users/{fp_id}/kyc', {
    ...headlessRun,
    summary: 'Verify a user: run it through a kyc or document playbook',
    examples: [
      'fp_id_…',
      'fp_id_… --result manual_review --external-id order-4711',
      'fp_id_… --result step_up --link-on-step-up',
      'fp_id_… --playbook pb_test_mine --wait --timeout 10s --expect pass',
    ],
    args: userArg,
    flags: {
      ...runFlags,
      'link-on-step-up': boolean({
        summary: 'if a document is required, also return a token and a link for the person to continue',
        exclusive: ['wait'],
      }),
    },
    send: ({ flags }) => runBody('kyc', flags),
  }),
  'businesses:kyb': derived('POST /businesses/{fp_bid}/kyb', {
    ...headlessRun,
    summary: 'Verify a business: run it through a kyb playbook',
    examples: ['fp_bid_…', 'fp_bid_… --result fail --no-reonboard --expect fail'],
    args: businessArg,
    flags: runFlags,
    send: ({ flags }) => runBody('kyb', flags),
  }),
};
