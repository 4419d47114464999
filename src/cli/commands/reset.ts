import { boolean, string } from '@oclif/core/flags';
import type { AnswerOf } from '../../contract/registry.ts';
import { BaseCommand } from '../shell/base-command.ts';
import { yesFlag } from '../shell/flags.ts';
import { resetView } from '../instance/control-view.ts';

export default class Reset extends BaseCommand<AnswerOf<'POST /_kyclone/reset'>> {
  static override summary = 'Delete all entities with their data; keys and settings stay unless --hard';
  static override examples = [
    '<%= config.bin %> reset --yes',
    '<%= config.bin %> reset --hard --seed 42 --yes',
  ];
  static override flags = {
    hard: boolean({ summary: 'also delete API keys, as before the first start' }),
    seed: string({ summary: 'seed from which ids repeat', helpValue: 'TEXT' }),
    ...yesFlag,
  };

  async run(): Promise<AnswerOf<'POST /_kyclone/reset'>> {
    const { flags } = await this.parse(Reset);
    await this.confirmLoss(`Delete everything in this instance${flags.hard ? ', its API keys too' : ''}`);
    const body = { ...(flags.hard && { hard: true }), ...(flags.seed !== undefined && { seed: flags.seed }) };
    return this.present(await this.client.call('POST /_kyclone/reset', { body }), resetView);
  }
}
