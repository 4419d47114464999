import { boolean } from '@oclif/core/flags';
import { decodeAnswer, type Exchange } from '../../../client/client.ts';
import { BaseCommand, reportFailure } from '../../base-command.ts';
import { explainHint, failureOfTarget, isFromTarget, targetAnswer } from '../../proxy-answer.ts';
import { proxyFlags, proxyRequest } from '../../proxy-flags.ts';
import { skippedNote, targetBodyView, targetHeadView } from '../../views/proxy.ts';

export default class ProxySend extends BaseCommand {
  static override summary = 'Send a request to a third party, tokens in its body replaced by vaulted data';
  static override description =
    'Prints the body that the target answered as it came; exit code 1 when the target answers 400 or more. With ' +
    '--json: request_id, status, headers, ingress_skipped, encoding, and body, which is JSON (encoding json), text ' +
    '(utf8) or base64.';
  static override examples = [
    '<%= config.bin %> proxy send --target https://api.example.com/checks --reason "credit check" ' +
      `--data '{"ssn": "{{ fp_id_7p793EF07xKXHqAeg5VGPj.id.ssn9 }}"}'`,
    '<%= config.bin %> proxy send --target https://localhost:4640 --pin-cert ca.pem --data @body.json ' +
      `--id fp_id_7p793EF07xKXHqAeg5VGPj --ingress 'custom.score=$.score' -i`,
  ];
  static override flags = {
    ...proxyFlags,
    include: boolean({ char: 'i', summary: "print the target's status and headers too" }),
  };

  async run(): Promise<unknown> {
    const { flags } = await this.parse(ProxySend);
    const exchange = await this.client.request(await proxyRequest('/vault_proxy/jit', flags, this.input));
    if (!isFromTarget(exchange)) {
      this.refuse(exchange);
      return undefined;
    }
    const answer = targetAnswer(exchange);
    if (this.isJson || flags.include) this.present(answer, () => targetHeadView(answer));
    if (!this.isJson && process.stdout.isTTY) this.print(targetBodyView(answer));
    else if (!this.isJson) process.stdout.write(exchange.body);
    if (answer.ingress_skipped.length > 0) this.note(skippedNote(answer.ingress_skipped));
    const { host } = new URL(flags.target);
    const hint = explainHint(exchange);
    if (answer.status >= 400) throw failureOfTarget(`${host} answered ${answer.status}`, hint);
    this.note(`${answer.status} from ${host}; ${hint}`);
    return answer;
  }

  /** Says what the proxy itself refused or failed at, and where that is explained. */
  private refuse(exchange: Exchange<Buffer>): void {
    try {
      decodeAnswer(exchange);
    } catch (refusal) {
      reportFailure(refusal, { asJson: this.isJson, isDebugging: this.environment.isDebugging });
      this.note(`Hint: ${explainHint(exchange)}`);
    }
  }
}
