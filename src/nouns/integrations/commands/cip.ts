import { string } from '@oclif/core/flags';
import { SIMULATED_HEADER } from '../../requests/facts.ts';
import { BaseCommand } from '../../../cli/shell/base-command.ts';
import {
  approverFlag,
  credentialFlags,
  partnerCredentials,
  partnerWords,
  isAccepted,
  partnerAnswerView,
  type CipAnswer,
} from './cip-report.ts';
import { CliError } from '../../../cli/shell/failure.ts';
import { liveFlag, userArg } from '../../../cli/shell/flags.ts';

class UsersCip extends BaseCommand<CipAnswer> {
  static override summary =
    'Send the CIP information of a user to a partner; exit code 1 when it is not accepted';
  static override description =
    'A loopback host is really called, and every host if the setting partner_b.forward is on; for any other host a ' +
    'built-in partner responds, and a note says so. The credentials are passed on and not stored. ' +
    'kyclone partner echo is a partner to send to.';
  static override examples = [
    'fp_id_… --account acct-1 --hostname localhost:4700 --approver Ann',
    'fp_id_… --account acct-1 --hostname partner.example --approver Ann --api-key @partner.key ' +
      '--api-secret -',
  ];
  static override args = userArg;
  static override flags = {
    account: string({ summary: "the user's account at the partner", required: true, helpValue: 'ID' }),
    hostname: string({ summary: 'host of the partner, with its port', required: true, helpValue: 'HOST' }),
    ...approverFlag,
    ...credentialFlags,
    ...liveFlag,
  };

  async run(): Promise<CipAnswer> {
    const { args, flags } = await this.parse(UsersCip);
    const credentials = await partnerCredentials(flags, this.environment, this.input);
    const { account: account_id, hostname, approver: default_approver } = flags;
    const { partner_b } = await partnerWords(this.client, (await this.access()).controlToken);
    const { body: answer, headers } = await this.client.exchange(
      'POST /users/{fp_id}/integrations/{partner_b}/cip',
      {
        params: { fp_id: args.fp_id, partner_b },
        body: { account_id, hostname, default_approver, ...credentials },
      },
    );
    const isSimulated = headers[SIMULATED_HEADER] === 'true';
    this.present(answer, (shown, style) => partnerAnswerView(shown, isSimulated, style));
    if (!isAccepted(answer))
      throw new CliError(`The partner answered ${answer.status_code}`, { code: 'partner_refused' });
    return answer;
  }
}

export default { 'users:cip': UsersCip };
