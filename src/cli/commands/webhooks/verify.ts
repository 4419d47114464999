import { string } from '@oclif/core/flags';
import { systemClock } from '../../../kernel/clock.ts';
import { MINUTE_MS } from '../../../kernel/units.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { EXIT } from '../../shell/exit-codes.ts';
import { verdictView } from '../../webhooks/view.ts';
import { byDefault, durationFlag, timeFlag } from '../../shell/times.ts';
import { HEADER_SOURCES } from '../../shell/fields.ts';
import { readSigned, verifyWebhook, type SignatureVerdict } from '../../webhooks/verify.ts';

const repeatable = { multiple: true, multipleNonGreedy: true } as const;

export default class WebhooksVerify extends BaseCommand<SignatureVerdict> {
  static override summary = 'Check the signature of a delivery; exit code 1 when it is not valid';
  static override description =
    'No daemon is needed. Headers may begin with webhook- or svix-. The secret may also come from ' +
    'KYCLONE_WEBHOOK_SECRET.';
  static override examples = [
    '<%= config.bin %> webhooks verify --secret @secret.txt --headers @headers.txt --body @body.json',
    "<%= config.bin %> webhooks verify --header 'webhook-id: ...' --header 'webhook-timestamp: ...' --header 'webhook-signature: ...' < body.json",
  ];
  static override flags = {
    secret: string({
      summary: 'whsec_...: the text itself, @FILE, - for stdin or ? to be asked; repeatable',
      helpValue: 'SECRET',
      ...repeatable,
    }),
    header: string({
      char: 'H',
      summary: `a header; ${HEADER_SOURCES}`,
      helpValue: 'NAME: VALUE',
      ...repeatable,
    }),
    headers: string({
      summary: 'headers, one per line or a JSON object: the text, @FILE or - for stdin',
      helpValue: 'TEXT',
    }),
    body: string({
      summary: 'the exact body: @FILE, - for stdin or the text itself',
      default: '-',
      helpValue: 'BODY',
    }),
    tolerance: durationFlag({
      summary: 'how far the time of the signature may differ',
      ...byDefault(5 * MINUTE_MS),
    }),
    at: timeFlag({ summary: 'the time to compare with (default: now, by the clock of this machine)' }),
  };

  async run(): Promise<SignatureVerdict> {
    const { flags } = await this.parse(WebhooksVerify);
    const given = { ...flags, secrets: flags.secret, environmentSecret: this.environment.webhookSecret };
    const verdict = verifyWebhook({
      ...(await readSigned(given, this.input)),
      now: flags.at ?? systemClock.now(),
      toleranceMs: flags.tolerance,
    });
    this.endWith(verdict.valid ? EXIT.ok : EXIT.failed);
    return this.present(verdict, verdictView);
  }
}
