import type { AnswerOf } from '../../../contract/registry.ts';
import { BaseCommand } from '../../../cli/shell/base-command.ts';
import { readFields } from '../../../cli/shell/fields.ts';
import { fieldsArg } from '../../../cli/shell/flags.ts';
import { UsageError } from '../../../cli/shell/failure.ts';
import { printable } from '../../../cli/shell/output.ts';
import { sessionBody, sessionFlags } from './sessions.ts';
import { ranView, sessionNote, sessionTokenView } from './view.ts';

type Session = AnswerOf<'POST /onboarding/session'>;
type Begun = Session | AnswerOf<'POST /onboarding/session/run'>;

class OnboardingsStart extends BaseCommand<Begun> {
  static override aliases = ['onboardings:begin'];
  static override summary =
    'Start a hosted onboarding: prints the token for the embedded flow, valid for 60 minutes';
  static override description =
    'Fields are data already known about the person. kyclone onboardings complete plays the person, ' +
    'or a person uses the page that --open opens. With ' +
    '--run the fields are stored, and the run made, where that is all that the playbook asks for; otherwise a session ' +
    'begins.';
  static override examples = [
    'TOKEN=$(<%= config.bin %> onboardings start --user-external-id customer-4711 id.email=jane@example.com)',
    '--playbook pb_test_kybdefault000000000000 --business-external-id acme-4711 --json',
    '--open --redirect-url http://localhost:3000/done',
    '--run --user-external-id customer-4712 --data @person.json',
  ];
  static override args = fieldsArg;
  static override flags = sessionFlags;

  async run(): Promise<Begun> {
    const { args, flags } = await this.parse(OnboardingsStart);
    const given = { fields: args.fields ?? [], data: flags.data };
    const body = sessionBody(flags, await readFields(given, this.input));
    if (flags.run) {
      if (flags.open)
        throw new UsageError('--open and --run exclude each other: a run without a flow has no page');
      const ran = await this.client.call('POST /onboarding/session/run', { body });
      if (ran.continue_onboarding) this.note(`Something is missing. ${sessionNote(ran.continue_onboarding)}`);
      return this.present(ran, (_, style) => ranView(ran, style));
    }
    const session = await this.client.call('POST /onboarding/session', { body });
    if (flags.open) return await this.open(session);
    this.note(sessionNote(session));
    return this.present(session, () => sessionTokenView(session));
  }

  private async open(session: Session): Promise<Begun> {
    this.note(`Expires ${session.expires_at}; the code is 000000`);
    this.present(session, () => printable(session.link));
    await this.openLink(session.link);
    return session;
  }
}

export default { 'onboardings:start': OnboardingsStart };
