import { decodeAnswer, type Exchange } from '../../../client/client.ts';
import { made } from '../../../cli/shell/derived.ts';
import { refusalOfProxy } from './answer.ts';
import { proxyFlags, proxyRequest, unsentNote } from './flags.ts';
import { renderingNote, renderingView, type Rendering } from './view.ts';

export default {
  'proxy:render': made(
    {
      summary: 'Show what proxy send would send, without sending it; masked unless there is a reason',
      description:
        'Tokens, headers, certificates, rules and target are checked as proxy send would check them. With --reason the ' +
        'values are decrypted and shown, and each is recorded in the access log, as operation reflect.',
      examples: [
        `--target https://api.example.com/checks --data '{"ssn": "{{ fp_id_….id.ssn9 | suffix(4) }}"}'`,
        "--target https://localhost:4643/json --id fp_id_… --data 'dob={{ id.dob }}' -H 'content-type: " +
          `application/x-www-form-urlencoded' --reason "support case 4711"`,
      ],
      flags: proxyFlags,
      view: renderingView,
      next: renderingNote,
    },
    async ({ flags }, { client, input, note }) => {
      const request = await proxyRequest('/vault_proxy/render', flags, input);
      const unsent = unsentNote(flags);
      if (unsent !== undefined) note(unsent);
      return renderingOf(await client.request(request));
    },
  ),
};

function renderingOf(exchange: Exchange<Buffer>): Rendering {
  try {
    return decodeAnswer(exchange).body as Rendering;
  } catch (error) {
    throw refusalOfProxy(error);
  }
}
