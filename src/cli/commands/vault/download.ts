import { boolean, string } from '@oclif/core/flags';
import { BaseCommand } from '../../shell/base-command.ts';
import { receiveFile } from '../../vault/downloads.ts';
import { UsageError } from '../../shell/failure.ts';
import { chooseTarget } from '../../shell/files.ts';
import { liveFlag, optionalDatumArgs, quietFlag, reasonFlag, reasonOf } from '../../shell/flags.ts';
import { savedFileView, type SavedFile } from '../../vault/view.ts';

export default class VaultDownload extends BaseCommand<SavedFile> {
  static override summary =
    'Decrypt one value to a file or to stdout, with a reason that goes into the access log';
  static override examples = [
    '<%= config.bin %> vault download fp_id_7p793EF07xKXHqAeg5VGPj document.passport.front.image ' +
      '--reason "support case 4711" --out front.png',
    'echo $TOKEN | <%= config.bin %> vault download --token - > letter.pdf',
  ];
  static override args = optionalDatumArgs;
  static override flags = {
    reason: reasonFlag({ summary: 'why; asked for on a terminal' }),
    out: string({ summary: 'the file to write; - for stdout even on a terminal', helpValue: 'FILE' }),
    force: boolean({ summary: 'replace an existing file' }),
    token: string({
      summary: 'a decrypt_download token instead of id and identifier: - for stdin, ? to be asked, @FILE',
      helpValue: 'TOKEN',
    }),
    ...quietFlag,
    ...liveFlag,
  };

  async run(): Promise<SavedFile> {
    const { args, flags } = await this.parse(VaultDownload);
    const { fp_id: id, identifier } = args;
    const isNamed = id !== undefined && identifier !== undefined;
    if (isNamed === (flags.token !== undefined) || (id !== undefined && !isNamed))
      throw new UsageError('Name an id and one identifier, or give --token');
    const { client, input, isForPeople } = this;
    const target = chooseTarget({
      out: flags.out,
      mayReplace: flags.force,
      isData: !isForPeople && !this.isDryRun,
    });
    const datum = isNamed
      ? { id, identifier, reason: await reasonOf(flags.reason, input) }
      : { token: await input.secret(flags.token ?? '?', 'Client token'), reason: flags.reason };
    const saved = await receiveFile(datum, { client, target, isWatched: !flags.quiet && isForPeople });
    return this.present(saved, savedFileView);
  }
}
