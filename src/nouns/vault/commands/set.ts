import { BaseCommand } from '../../../cli/shell/base-command.ts';
import { UsageError } from '../../../cli/shell/failure.ts';
import { readFieldsAndFiles } from '../../../cli/shell/fields.ts';
import { entityArg, fieldFlags, fieldsArg, liveFlag } from '../../../cli/shell/flags.ts';
import { callsOf, closeFiles, openFiles, requireOneCall, writeVault } from './writes.ts';
import { writtenView } from './view.ts';

class VaultSet extends BaseCommand {
  static override summary = "Write to a user's or business's vault; :=null deletes a value";
  static override examples = [
    'fp_id_… id.email=jane@example.com id.ssn9=?',
    `fp_bid_… custom.tags:='["new"]' business.website:=null`,
    'fp_id_… id.dob=1988-12-30 document.passport.front.image=@front.png',
  ];
  static override description =
    'Texts are written first, all of them or none; then the files, in the given order. If one is refused, ' +
    'those before it stay, and the error says which.';
  static override args = { ...entityArg, ...fieldsArg };
  static override flags = { ...fieldFlags, ...liveFlag };

  async run(): Promise<unknown> {
    const { args, flags } = await this.parse(VaultSet);
    const { fp_id: id } = args;
    const given = { fields: args.fields ?? [], data: flags.data };
    const { body: values = {}, files: named } = await readFieldsAndFiles(given, this.input);
    const calls = callsOf({ values, files: named });
    if (calls === 0)
      throw new UsageError(
        'There is nothing to write',
        'name what to write: id.email=jane@example.com, or --data JSON',
      );
    requireOneCall(this.isDryRun, calls);
    const files = await openFiles(named);
    try {
      const { body, version } = await writeVault(this.client, { id, values, files, luhn: flags });
      return this.present(body, () => writtenView(version));
    } finally {
      closeFiles(files);
    }
  }
}

export default { 'vault:set': VaultSet };
