import { boolean } from '@oclif/core/flags';
import { BaseCommand } from '../../../cli/shell/base-command.ts';
import { UsageError } from '../../../cli/shell/failure.ts';
import { quietFlag } from '../../../cli/shell/flags.ts';
import {
  FILE_HELP,
  fileFlag,
  optionalSnapshotArg,
  fetchSnapshot,
  looksLikeFile,
  saveToFile,
  snapshotTarget,
  type Snapshot,
  snapshotView,
} from './snapshots.ts';

class SnapshotCreate extends BaseCommand<Snapshot> {
  static override aliases = ['snapshot:save'];
  static override summary = 'Create a snapshot of the whole state: under a name, in a file, or both';
  static override description = FILE_HELP;
  static override examples = [
    'before-migration',
    'nightly --overwrite --file ./nightly.kysnap',
    './fresh.kysnap --overwrite',
  ];
  static override args = optionalSnapshotArg;
  static override flags = {
    ...fileFlag('write it to this file, for another instance'),
    overwrite: boolean({ summary: 'replace a snapshot of this name, and the file' }),
    ...quietFlag,
  };

  async run(): Promise<Snapshot> {
    const { args, flags } = await this.parse(SnapshotCreate);
    const { snapshot: given } = args;
    const isFile = given !== undefined && looksLikeFile(given);
    if (isFile && flags.file !== undefined)
      throw new UsageError('One file is enough: give a name with --file');
    const file = isFile ? given : flags.file;
    if (given === undefined && file === undefined) throw new UsageError('Give a name, or a file with --file');
    const target =
      file === undefined ? undefined : snapshotTarget(file, flags.overwrite, isFile ? 'SNAPSHOT' : '--file');
    const { client } = this;
    const transfer = { client, isWatched: !flags.quiet && this.isForPeople };
    const params = { name: given ?? '' };
    const query = { overwrite: flags.overwrite || undefined };
    const isNamed = given !== undefined && !isFile;
    const saved =
      isNamed || !target
        ? await client.call('PUT /_kyclone/snapshots/{name}', { params, query })
        : await saveToFile({ ...transfer, target });
    if (isNamed && target) await fetchSnapshot(given, { ...transfer, target });
    if (target) this.note(`Wrote ${target.path ?? ''}`);
    return this.present(saved, snapshotView);
  }
}

export default { 'snapshot:create': SnapshotCreate };
