import { boolean } from '@oclif/core/flags';
import { BaseCommand } from '../shell/base-command.ts';
import { instanceOfDirectory } from '../project/project.ts';
import { writeStarter, initView } from '../project/starter.ts';

interface Initialised {
  readonly directory: string;
  readonly files: readonly string[];
  readonly instance: string;
}

export default class Init extends BaseCommand<Initialised> {
  static override summary = 'Write a project file and a first fixture into this folder';
  static override description =
    'kyclone.config.yaml sets up the instance of this folder, for all commands in it and below, up to the folder with .git. JSON works too: kyclone.config.json with the same members.';
  static override examples = ['<%= config.bin %> init', '<%= config.bin %> init --force --json'];
  static override flags = {
    force: boolean({ summary: 'replace existing files' }),
  };

  async run(): Promise<Initialised> {
    const { flags } = await this.parse(Init);
    const directory = process.cwd();
    const files = writeStarter(directory, flags.force);
    return this.present({ directory, files, instance: instanceOfDirectory(directory) }, initView);
  }
}
