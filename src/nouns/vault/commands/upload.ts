import { entityEndpoint } from '../../../client/entity-endpoint.ts';
import { string as stringArg } from '@oclif/core/args';
import mime from 'mime';
import { BaseCommand } from '../../../cli/shell/base-command.ts';
import {
  contentTypeFlag,
  entityArg,
  identifierArg,
  liveFlag,
  luhnFlag,
  luhnHeader,
  quietFlag,
} from '../../../cli/shell/flags.ts';
import { openSource } from '../../../cli/shell/files.ts';
import { showProgress } from '../../../cli/shell/output.ts';
import { writtenView } from './view.ts';

class VaultUpload extends BaseCommand {
  static override summary =
    'Store a file in a vault: an image of a document, a letter, anything under custom';
  static override examples = [
    'fp_id_… document.passport.front.image front.png',
    'scan | <%= config.bin %> vault upload fp_bid_… document.custom.lease - --content-type ' +
      'application/pdf',
  ];
  static override args = {
    ...entityArg,
    ...identifierArg,
    file: stringArg({ description: 'path of the file, or - for stdin', required: true }),
  };
  static override flags = { ...contentTypeFlag, ...luhnFlag, ...quietFlag, ...liveFlag };

  async run(): Promise<unknown> {
    const { args, flags } = await this.parse(VaultUpload);
    const { fp_id: id, identifier, file: path } = args;
    const contentType = flags['content-type'] ?? mime.getType(path) ?? 'application/octet-stream';
    const source = await openSource(path);
    const isWanted = !flags.quiet && this.isForPeople;
    const progress = await showProgress({ title: 'Uploading', bytes: source.bytes, isWanted });
    const { update: onProgress } = progress;
    const upload = { headers: luhnHeader(flags), file: { ...source, contentType }, onProgress };
    try {
      const { key, params } = entityEndpoint('POST /{entity}/vault/{identifier}/upload', id);
      const sent = this.client.upload(key, { params: { ...params, identifier }, ...upload });
      const answer = await sent.finally(progress.end);
      const version = answer.headers['x-fp-vault-version'];
      return this.present(answer.body, () => writtenView(version?.toString()));
    } finally {
      source.close();
    }
  }
}

export default { 'vault:upload': VaultUpload };
