/** The way to help: oclif's own, with everything that it loads. */
import { Config } from '@oclif/core/config';
import { Help } from '@oclif/core/help';
import type { PJSON } from '@oclif/core/interfaces';

/** Prints the help of a command or topic, or of the program when `id` is empty. */
export async function showOclifHelp(id: string, root: string, pjson: PJSON): Promise<void> {
  const options = { root, pjson, isRoot: true } as Parameters<typeof Config.load>[0];
  const config = await Config.load(options);
  await new Help(config, pjson.oclif.helpOptions).showHelp(id === '' ? [] : [id]);
}
