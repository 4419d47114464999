import { string as stringArg } from '@oclif/core/args';
import type { AnswerOf } from '../../../contract/registry.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { snapshotArg, looksLikeFile, withFile, snapshotDiffView } from '../../snapshot/snapshots.ts';

type Diff = AnswerOf<'GET /_kyclone/snapshots/{name}/diff'>;

export default class SnapshotDiff extends BaseCommand<Diff> {
  static override summary =
    'Show the changes between a snapshot and another or the current state: names, no values';
  static override examples = [
    '<%= config.bin %> snapshot diff before-migration',
    '<%= config.bin %> snapshot diff before-migration after-migration --json',
  ];
  static override args = {
    ...snapshotArg,
    to: stringArg({ description: 'the snapshot to compare with (default: the current state)' }),
  };

  async run(): Promise<Diff> {
    const { args } = await this.parse(SnapshotDiff);
    const { client } = this;
    const named = <T>(given: string, use: (name: string) => Promise<T>): Promise<T> =>
      looksLikeFile(given)
        ? withFile(given, { client, isWatched: this.isForPeople, withAccess: true }, use)
        : use(given);
    const compare = (name: string, to?: string) =>
      client.call('GET /_kyclone/snapshots/{name}/diff', { params: { name }, query: { to } });
    const { snapshot, to } = args;
    const diff = await named(snapshot, (from) =>
      to === undefined ? compare(from) : named(to, (later) => compare(from, later)),
    );
    const shown = { ...diff, from: snapshot, to: to ?? '' };
    return this.present(shown, snapshotDiffView);
  }
}
