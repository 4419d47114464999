/** `users kyc` is run often, so these are apart from `entities.ts`, which loads more. */
import { boolean } from '@oclif/core/flags';
import { endOf, RUN_HELP, runBody, runFlags } from './runs.ts';
import { asExpected, runView } from './view.ts';
import { derived } from '../../../cli/shell/derived.ts';
import { businessArg, userArg } from '../../../cli/shell/flags.ts';

export default {
  'users:kyc': derived('POST /users/{fp_id}/kyc', {
    ...asExpected,
    summary: 'Verify a user: run it through a kyc or document playbook',
    description: RUN_HELP,
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
    after: (started, { flags }, { client }) => endOf(client, started, flags),
    view: runView,
  }),
  'businesses:kyb': derived('POST /businesses/{fp_bid}/kyb', {
    ...asExpected,
    summary: 'Verify a business: run it through a kyb playbook',
    description: RUN_HELP,
    examples: ['fp_bid_…', 'fp_bid_… --result fail --no-reonboard --expect fail'],
    args: businessArg,
    flags: runFlags,
    send: ({ flags }) => runBody('kyb', flags),
    after: (started, { flags }, { client }) => endOf(client, started, flags),
    view: runView,
  }),
};
