import { string } from '@oclif/core/flags';
import { DUPLICATES_LIMIT } from '../../contract/facts/limits.ts';
import { duplicateListView } from '../entities/view.ts';
import { derived } from '../shell/derived.ts';
import { integerFlag, liveFlag, userArg } from '../shell/flags.ts';

export default {
  'users:duplicates': derived('GET /users/{fp_id}/duplicates', {
    summary: 'List other users who share data with this one, and what they share',
    examples: [
      'users duplicates fp_id_7p793EF07xKXHqAeg5VGPj',
      'users duplicates fp_id_7p793EF07xKXHqAeg5VGPj --kind ssn9 --kind email --limit 10',
    ],
    args: userArg,
    flags: {
      kind: string({
        summary: 'only this kind, such as ssn9, email or phone_number; repeatable',
        helpValue: 'KIND',
        multiple: true,
        multipleNonGreedy: true,
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
};
