import { string as stringArg } from '@oclif/core/args';
import { string } from '@oclif/core/flags';
import { dirname } from 'node:path';
import { createClient } from '../../../client/client.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { choiceLines, findChoices, readPatience, type CompletionChoice } from '../../completion/ids.ts';
import { LIVE_KINDS, type LiveKind } from '../../completion/slots.ts';
import { connectionOf, findDaemon } from '../../shell/daemon-access.ts';
import { spaceFlags } from '../../shell/flags.ts';

export default class CompletionIds extends BaseCommand<readonly CompletionChoice[]> {
  static override summary = 'List ids for the completion scripts';
  static override description =
    'Prints one id per line, with a label after a tab. Without a daemon it prints nothing, with exit code 0.';
  static override hidden = true;
  static override examples = [
    '<%= config.bin %> completion ids users',
    '<%= config.bin %> completion ids playbooks --prefix pb_',
  ];
  static override args = {
    kind: stringArg({ description: 'kind of ids', required: true, options: [...LIVE_KINDS] }),
  };
  static override flags = {
    prefix: string({ summary: 'the text typed so far', helpValue: 'TEXT', default: '' }),
    ...spaceFlags,
  };

  async run(): Promise<readonly CompletionChoice[]> {
    const { args, flags } = await this.parse(CompletionIds);
    const choices = await this.#find(args.kind as LiveKind, flags).catch(() => []);
    return this.present(choices, choiceLines);
  }

  async #find(
    kind: LiveKind,
    flags: { instance?: string | undefined; tenant?: string | undefined; live: boolean; prefix: string },
  ): Promise<readonly CompletionChoice[]> {
    const stateFolder = dirname((await this.named).paths.stateDirectory);
    const patienceMs = readPatience(this.environment.completionTimeout);
    const search = {
      patienceMs,
      stateFolder,
      tenant: flags.tenant,
      isLive: flags.live,
      prefix: flags.prefix,
    };
    const access =
      kind === 'instances' ? undefined : await findDaemon(this.environment, flags.instance, patienceMs);
    const client = createClient(access ? connectionOf(access, flags.live) : { baseUrl: '' });
    // A key from the environment may belong to any tenant, so its own lists are the right ones.
    const hasControl = access?.controlToken !== undefined && access.locator !== undefined;
    return await findChoices(kind, { ...search, client, hasControl });
  }
}
