import { boolean } from '@oclif/core/flags';
import { made } from '../../../cli/shell/derived.ts';
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
  snapshotView,
} from './snapshots.ts';

export default {
  'snapshot:create': made(
    {
      aliases: ['snapshot:save'],
      summary: 'Create a snapshot of the whole state: under a name, in a file, or both',
      description: FILE_HELP,
      examples: [
        'before-migration',
        'nightly --overwrite --file ./nightly.kysnap',
        './fresh.kysnap --overwrite',
      ],
      args: optionalSnapshotArg,
      flags: {
        ...fileFlag('write it to this file, for another instance'),
        overwrite: boolean({ summary: 'replace a snapshot of this name, and the file' }),
        ...quietFlag,
      },
      view: snapshotView,
    },
    async ({ args: { snapshot: given }, flags }, { client, isForPeople, note }) => {
      const isFile = given !== undefined && looksLikeFile(given);
      if (isFile && flags.file !== undefined)
        throw new UsageError('One file is enough: give a name with --file');
      const file = isFile ? given : flags.file;
      if (given === undefined && file === undefined)
        throw new UsageError('Give a name, or a file with --file');
      const where = isFile ? 'SNAPSHOT' : '--file';
      const target = file === undefined ? undefined : snapshotTarget(file, flags.overwrite, where);
      const transfer = { client, isWatched: !flags.quiet && isForPeople };
      const params = { name: given ?? '' };
      const query = { overwrite: flags.overwrite || undefined };
      const isNamed = given !== undefined && !isFile;
      const saved =
        isNamed || !target
          ? await client.call('PUT /_kyclone/snapshots/{name}', { params, query })
          : await saveToFile({ ...transfer, target });
      if (isNamed && target) await fetchSnapshot(given, { ...transfer, target });
      if (target) note(`Wrote ${target.path ?? ''}`);
      return saved;
    },
  ),
};
