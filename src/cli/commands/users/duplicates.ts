import { string } from '@oclif/core/flags';
import { DUPLICATES_LIMIT } from '../../../contract/facts/limits.ts';
import type { AnswerOf } from '../../../contract/registry.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { integerFlag, liveFlag, userArg } from '../../shell/flags.ts';
import { duplicateListView } from '../../entities/view.ts';

type Duplicates = AnswerOf<'GET /users/{fp_id}/duplicates'>;

export default class UsersDuplicates extends BaseCommand<Duplicates> {
  static override summary = 'List other users who share data with this one, and what they share';
  static override examples = [
    '<%= config.bin %> users duplicates fp_id_7p793EF07xKXHqAeg5VGPj',
    '<%= config.bin %> users duplicates fp_id_7p793EF07xKXHqAeg5VGPj --kind ssn9 --kind email --limit 10',
  ];
  static override args = userArg;
  static override flags = {
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
  };

  async run(): Promise<Duplicates> {
    const { args, flags } = await this.parse(UsersDuplicates);
    const duplicates = await this.client.call('GET /users/{fp_id}/duplicates', {
      params: { fp_id: args.fp_id },
      query: { kinds: flags.kind?.join(','), limit: flags.limit },
    });
    return this.present(duplicates, duplicateListView);
  }
}
