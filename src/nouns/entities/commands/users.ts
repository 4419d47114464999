import { string as text } from '@oclif/core/args';
import { option, string } from '@oclif/core/flags';
import { DUPLICATES_LIMIT } from '../../../contract/facts/limits.ts';
import { DOCUMENT_KINDS } from '../../vault/facts.ts';
import { defined } from '../../../kernel/defined.ts';
import { duplicateListView } from './view.ts';
import { approverFlag, cipReportView, partnerWords } from '../../integrations/commands/cip-report.ts';
import { derived } from '../../../cli/shell/derived.ts';
import { readLine } from '../../../cli/shell/fields.ts';
import { integerFlag, liveFlag, spaceFlags, userArg, whyFlag, repeatable } from '../../../cli/shell/flags.ts';
import { facts, members } from '../../../cli/shell/layout.ts';

export default {
  'users:duplicates': derived('GET /users/{fp_id}/duplicates', {
    summary: 'List other users who share data with this one, and what they share',
    examples: ['fp_id_…', 'fp_id_… --kind ssn9 --kind email --limit 10'],
    args: userArg,
    flags: {
      kind: string({
        summary: 'only this kind, such as ssn9, email or phone_number; repeatable',
        helpValue: 'KIND',
        ...repeatable,
      }),
      limit: integerFlag({
        summary: `at most this many (default: ${DUPLICATES_LIMIT})`,
        min: 1,
        max: DUPLICATES_LIMIT,
        helpValue: 'N',
      }),
      ...liveFlag,
    },
    send: ({ flags }) => ({ kinds: flags.kind?.join(','), limit: flags.limit }),
    view: duplicateListView,
  }),
  'users:request-info': derived('POST /_kyclone/entities/{fp_id}/request_info', {
    summary: 'Ask a user for more: the next link of that user asks for it',
    description:
      'Until the user has given it, `users get` shows the request. It sends the event user.info_requested where extended ' +
      'events are on. A new request replaces an open one.',
    examples: [
      'fp_id_… "A proof of your address" --document proof_of_address --as Ada',
      'fp_id_… "Your tax number" --field id.ssn9 --json',
    ],
    args: {
      ...userArg,
      note: text({ description: 'what the user reads: the text, @FILE, or - for stdin', required: true }),
    },
    flags: {
      document: option({ summary: 'kind of the document', options: DOCUMENT_KINDS })(),
      field: string({
        summary: 'data identifier, such as id.ssn9; repeatable',
        helpValue: 'IDENTIFIER',
        ...repeatable,
      }),
      ...whyFlag,
      ...spaceFlags,
    },
    send: async ({ args, flags }, { input }) => ({
      note: await readLine(args.note, input),
      ...defined({ document: flags.document, fields: flags.field, reason: flags.reason }),
    }),
    view: (request, style) => facts(members(request, { timestamp: ['at'] }), style),
  }),
  'users:cip-report': derived('POST /users/{fp_id}/integrations/{partner_a}/cip_report', {
    summary: 'Build the CIP report of a user with a decision; it shows decrypted data',
    description: 'Everything it reads is recorded in the access log, with the reason cip_report.',
    examples: ['fp_id_… --approver "Ann Lee"', 'fp_id_… --approver "Ann Lee" --json'],
    args: userArg,
    flags: { ...approverFlag, ...liveFlag },
    params: async (_, { client, access }) => {
      const { partner_a } = await partnerWords(client, (await access()).controlToken);
      return { partner_a };
    },
    send: ({ flags }) => ({ default_approver: flags.approver }),
    view: cipReportView,
  }),
};
