import { decodeAnswer, type Exchange } from '../../../client/client.ts';
import { BaseCommand } from '../../../cli/shell/base-command.ts';
import { refusalOfProxy } from './answer.ts';
import { proxyFlags, proxyRequest, unsentNote } from './flags.ts';
import { renderingNote, renderingView, type Rendering } from './view.ts';

class ProxyRender extends BaseCommand<Rendering> {
  static override summary =
    'Show what proxy send would send, without sending it; masked unless there is a reason';
  static override description =
    'Tokens, headers, certificates, rules and target are checked as proxy send would check them. With --reason the ' +
    'values are decrypted and shown, and each is recorded in the access log, as operation reflect.';
  static override examples = [
    `--target https://api.example.com/checks --data '{"ssn": "{{ fp_id_….id.ssn9 | suffix(4) }}"}'`,
    "--target https://localhost:4643/json --id fp_id_… --data 'dob={{ id.dob }}' -H 'content-type: " +
      `application/x-www-form-urlencoded' --reason "support case 4711"`,
  ];
  static override flags = proxyFlags;

  async run(): Promise<Rendering> {
    const { flags } = await this.parse(ProxyRender);
    const request = await proxyRequest('/vault_proxy/render', flags, this.input);
    const unsent = unsentNote(flags);
    if (unsent !== undefined) this.note(unsent);
    const rendering = renderingOf(await this.client.request(request));
    this.present(rendering, renderingView);
    this.note(renderingNote(rendering));
    return rendering;
  }
}

function renderingOf(exchange: Exchange<Buffer>): Rendering {
  try {
    return decodeAnswer(exchange).body as Rendering;
  } catch (error) {
    throw refusalOfProxy(error);
  }
}

export default { 'proxy:render': ProxyRender };
