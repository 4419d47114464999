import { string as stringArg } from '@oclif/core/args';
import { option } from '@oclif/core/flags';
import { AUTH_KINDS } from '../../hosted/facts.ts';
import { OUTCOMES } from '../../outcomes/facts.ts';
import { SESSION_STATES } from '../facts.ts';
import { onboardingArg, outcomeArg, waitFlags, waitForOutcome } from './runs.ts';
import {
  TOKEN_HELP,
  completionBody,
  requireOneStdin,
  sessionArg,
  sessionListView,
  sessionView,
  userTokenBody,
  userTokenFlags,
} from './sessions.ts';
import {
  asExpected,
  completionNotes,
  onboardingListView,
  onboardingView,
  sessionNote,
  sessionTokenView,
  validationView,
} from './view.ts';
import { derived, made } from '../../../cli/shell/derived.ts';
import { readFields } from '../../../cli/shell/fields.ts';
import {
  entityArg,
  entityFlag,
  fieldFlags,
  fieldsArg,
  liveFlag,
  offsetFlags,
  pageFlags,
  spaceFlags,
  userArg,
  yesFlag,
  whyFlag,
} from '../../../cli/shell/flags.ts';
import { printable } from '../../../cli/shell/output.ts';
import { unknownFilters } from '../../../cli/shell/unknown-filters.ts';
import { defined } from '../../../kernel/defined.ts';

export default {
  'onboardings:complete': derived('POST /_kyclone/sessions/complete', {
    summary: 'Play the person who finishes a hosted onboarding: prints the validation token',
    description:
      'Fields are the values that the person types in: business.* goes to the business, everything else to the user. The ' +
      'validation token is valid for 15 minutes.',
    examples: [
      'VALIDATION=$(<%= config.bin %> onboardings complete "$TOKEN" --data @person.json)',
      '- id.first_name=Jane id.last_name=Doe --result manual_review < token.txt',
    ],
    args: {
      token: stringArg({ description: `the token of the session (obtok_…): ${TOKEN_HELP}`, required: true }),
      ...fieldsArg,
    },
    flags: {
      result: option({ summary: 'the outcome (sandbox only)', options: OUTCOMES })(),
      'auth-kind': option({ summary: 'how the person signed in (default: sms)', options: AUTH_KINDS })(),
      data: fieldFlags.data,
    },
    send: async ({ args, flags: { result, 'auth-kind': authKind, data } }, { input }) => {
      requireOneStdin(args.token, args.fields, data);
      const token = await input.secret(args.token, 'Session token');
      return completionBody(token, await readFields({ fields: args.fields ?? [], data }, input), {
        ...defined({ fixture_result: result, auth_kind: authKind }),
      });
    },
    // Alone, for `TOKEN=$(…)`.
    view: ({ validation_token }) => printable(validation_token),
    note: completionNotes,
  }),
  'onboardings:get': made(
    {
      ...asExpected,
      summary: 'Show the outcome of an onboarding, or wait for it',
      examples: ['ob_…', 'ob_… --wait --timeout 10s --expect pass'],
      args: onboardingArg,
      flags: { ...waitFlags, ...liveFlag },
      view: onboardingView,
    },
    async ({ args: { id }, flags }, { client }) =>
      flags.wait
        ? await waitForOutcome(client, id, flags.timeout)
        : await client.call('GET /onboardings/{id}', { params: { id } }),
  ),
  'onboardings:list': derived('GET /{entity}/onboardings', {
    summary: 'List the onboardings of a user or business, newest first, without incomplete ones',
    examples: ['fp_id_…', 'fp_bid_… --page 1 --page-size 50 --json'],
    args: entityArg,
    flags: { ...offsetFlags, ...liveFlag },
    view: onboardingListView,
  }),
  'onboardings:resolve': derived('POST /_kyclone/onboardings/{id}/resolve', {
    summary: 'Give a pending or incomplete onboarding its outcome now',
    examples: ['ob_… pass', 'ob_… fail --json'],
    args: { ...onboardingArg, ...outcomeArg },
    flags: whyFlag,
    view: onboardingView,
  }),
  'onboardings:sessions:delete': derived('DELETE /_kyclone/sessions/{id}', {
    summary: 'Close a hosted flow: its token no longer opens anything',
    description: 'Its onboarding stays incomplete; another session may continue it.',
    examples: ['ses_… --yes', 'ses_… --dry-run'],
    args: sessionArg,
    flags: { ...yesFlag, ...spaceFlags },
    confirm: 'Close this session',
    view: () => 'Closed',
  }),
  'onboardings:sessions:get': derived('GET /_kyclone/sessions/{id}', {
    summary: 'Show a hosted flow, and whether it is open',
    examples: ['ses_…', 'ses_… --json'],
    args: sessionArg,
    flags: spaceFlags,
    view: sessionView,
  }),
  'onboardings:sessions:list': derived('GET /_kyclone/sessions', {
    summary: 'List hosted flows, newest first, without their tokens',
    examples: ['--state open', '--entity fp_id_… --json'],
    flags: {
      state: option({ summary: 'only those in this state', options: SESSION_STATES })(),
      entity: entityFlag('only those of this user or business'),
      ...pageFlags,
      ...spaceFlags,
    },
    send: ({ flags: { state, entity } }) => ({ state, fp_id: entity }),
    note: (page, { flags }, _, { client }) => unknownFilters(page.data, flags, client),
    view: sessionListView,
  }),
  'onboardings:validate': derived('POST /onboarding/session/validate', {
    summary: 'Show the outcome of a hosted onboarding, from the token that its flow ended with',
    examples: [
      '"$VALIDATION"',
      '<%= config.bin %> onboardings complete "$TOKEN" | <%= config.bin %> onboardings validate - --json',
    ],
    args: {
      token: stringArg({ description: `the validation token (vtok_…): ${TOKEN_HELP}`, required: true }),
    },
    flags: liveFlag,
    send: async ({ args }, { input }) => ({
      validation_token: await input.secret(args.token, 'Validation token'),
    }),
    view: validationView,
  }),
  'onboardings:token': derived('POST /users/{fp_id}/token', {
    summary: 'Begin a hosted flow for an existing user: prints its token',
    description:
      'onboard begins an onboarding, reonboard does so again, inherit continues the newest incomplete one, document asks ' +
      'for a document, user identifies the person, update_auth_methods asks for a new e-mail address or phone number ' +
      'and stores it. kyclone onboardings complete plays the person.',
    examples: [
      'TOKEN=$(<%= config.bin %> onboardings token fp_id_… --kind onboard --allow-reonboard)',
      'fp_id_… --kind update_auth_methods --ttl 1d --json',
    ],
    args: userArg,
    flags: userTokenFlags,
    send: ({ flags }) => userTokenBody(flags),
    note: sessionNote,
    view: sessionTokenView,
  }),
};
