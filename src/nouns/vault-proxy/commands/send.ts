import { boolean } from '@oclif/core/flags';
import { decodeAnswer, type Exchange } from '../../../client/client.ts';
import { SECOND_MS } from '../../../kernel/numbers/units.ts';
import { BaseCommand } from '../../../cli/shell/base-command.ts';
import {
  failureOfTarget,
  hostOf,
  isFromTarget,
  outcomeNote,
  refusalOfProxy,
  targetAnswer,
} from './answer.ts';
import { proxyRequest, sendFlags, sendPath, unsentNote } from './flags.ts';
import { skippedNote, targetBodyView, targetHeadView } from './view.ts';

const PATIENCE_MS = 2 * SECOND_MS;

class ProxySend extends BaseCommand {
  static override summary = 'Send a request to a third party, tokens in its body replaced by vaulted data';
  static override description =
    'Tokens are replaced in the body only, not in headers, path or target. Prints the body that the target ' +
    'returned unchanged, with JSON indented on a terminal; exit code 1 when the target returns 400 or more. With --json: ' +
    'request_id, status, headers, ingress_skipped, encoding, and body, which is JSON (encoding json), text (utf8) or ' +
    'base64. JSON that parsing would change, such as 1.10 or a number over 53 bits, is printed as text.\n\n' +
    'kyclone proxy echo --tls-port 4643 --out certificates is a target to try it with.';
  static override examples = [
    `--target https://api.example.com/checks --reason "credit check" --data '{"ssn": "{{ ` +
      `fp_id_….id.ssn9 }}"}'`,
    '--target https://localhost:4643/json --pin-cert certificates/ca.pem --id fp_id_… --data ' +
      `'{"score": 7}' --ingress 'custom.score=$.score' -i`,
    `--config proxy_id_… --id fp_id_… --data '{"ssn": "{{ id.ssn9 }}"}'`,
  ];
  static override flags = {
    ...sendFlags,
    include: boolean({ char: 'i', summary: "print the target's status and headers too" }),
  };

  async run(): Promise<unknown> {
    const { flags } = await this.parse(ProxySend);
    const request = await proxyRequest(sendPath(flags), flags, this.input);
    const unsent = unsentNote(flags);
    if (unsent !== undefined) this.note(unsent);
    const host = hostOf(flags.target);
    const exchange = await this.waitFor(host, this.client.request(request));
    if (!isFromTarget(exchange)) throw refusalIn(exchange);
    const answer = targetAnswer(exchange);
    const { isForPeople } = this;
    if (!isForPeople || flags.include) this.present(answer, () => targetHeadView(answer));
    if (isForPeople && process.stdout.isTTY) this.print(targetBodyView(exchange));
    else if (isForPeople) this.printBytes(exchange.body);
    if (answer.ingress_skipped.length > 0) this.note(skippedNote(answer.ingress_skipped));
    if (answer.status >= 400) throw failureOfTarget(exchange, host);
    this.note(outcomeNote(exchange, host));
    return answer;
  }

  /** Reports on a terminal that the response takes long. */
  private async waitFor<T>(host: string, answer: Promise<T>): Promise<T> {
    if (!process.stderr.isTTY) return await answer;
    const timer = setTimeout(() => this.note(`Waiting for ${host}, 30 s at most`), PATIENCE_MS).unref();
    try {
      return await answer;
    } finally {
      clearTimeout(timer);
    }
  }
}

function refusalIn(exchange: Exchange<Buffer>): unknown {
  try {
    return decodeAnswer(exchange);
  } catch (refusal) {
    return refusalOfProxy(refusal);
  }
}

export default { 'proxy:send': ProxySend };
