import { string } from '@oclif/core/args';
import { BaseCommand } from '../shell/base-command.ts';
import { UsageError } from '../shell/failure.ts';
import { errorListView, type ErrorLine } from '../reference/view.ts';
import { ERRORS } from '../../contract/errors.ts';
import { nearest } from '../../kernel/nearest.ts';

export default class Errors extends BaseCommand<readonly ErrorLine[]> {
  static override summary = 'List the error codes with status, meaning and hint; needs no daemon';
  static override examples = ['', 'T120'];
  static override args = { code: string({ description: 'only this one' }) };

  async run(): Promise<readonly ErrorLine[]> {
    const { args } = await this.parse(Errors);
    const all = Object.entries(ERRORS).map(([code, entry]) => ({ code, ...entry }));
    if (args.code === undefined) return this.present(all, errorListView);
    const found = all.filter(({ code }) => code === args.code);
    if (found.length === 0) {
      const meant = nearest(args.code, Object.keys(ERRORS));
      throw new UsageError(
        `There is no such error code${meant === undefined ? '' : `; did you mean ${meant}?`}`,
        'kyclone errors lists them',
      );
    }
    return this.present(found, errorListView);
  }
}
