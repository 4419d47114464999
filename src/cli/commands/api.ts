import { custom, string as stringArg } from '@oclif/core/args';
import { boolean, string } from '@oclif/core/flags';
import { HTTP_METHODS, PROXY_HEADERS, type HttpMethod } from '../../nouns/requests/facts.ts';
import { decodeAnswer, type Exchange } from '../../client/client.ts';
import { BaseCommand } from '../shell/base-command.ts';
import { parsed, UsageError } from '../shell/failure.ts';
import {
  readText,
  HEADER_SOURCES,
  headerTexts,
  parseHeaders,
  readsStdin,
  requireNoFileName,
} from '../shell/fields.ts';
import { liveFlag, repeatable } from '../shell/flags.ts';
import { failureOfTarget, hostOf, isTargetAnswer } from '../../nouns/vault-proxy/commands/answer.ts';
import { bodyView, headView, isText, jsonBody } from '../api/view.ts';
import { targetBodyView } from '../../nouns/vault-proxy/commands/view.ts';
import { defined } from '../../kernel/defined.ts';

/** In any case, as people type it; a request has it in capitals. */
const methodArg = custom<HttpMethod>({
  parse: (text) =>
    parsed(
      HTTP_METHODS.find((one) => one === text.toUpperCase()),
      'The first argument is a method',
      `methods: ${HTTP_METHODS.join(', ')}`,
    ),
});

export default class Api extends BaseCommand {
  static override summary = 'Call any path of the API, with the credential that it needs';
  static override examples = [
    'GET /users',
    `POST /users --data '{"id.first_name":"Jane"}' -H "x-sandbox-id: jane"`,
    'GET "/_kyclone/access-log?page_size=5" -i',
    'GET /users -H @headers.txt',
  ];
  static override args = {
    method: methodArg({ description: `${HTTP_METHODS.join(', ')}; in any case`, required: true }),
    path: stringArg({ description: 'path and query, such as /users', required: true }),
  };
  static override flags = {
    data: string({ summary: 'body: JSON, @FILE or - for stdin', helpValue: 'JSON' }),
    header: string({
      char: 'H',
      summary: `a header; ${HEADER_SOURCES}`,
      helpValue: 'NAME: VALUE',
      ...repeatable,
    }),
    include: boolean({ char: 'i', summary: 'print status and headers too' }),
    ...liveFlag,
  };

  async run(): Promise<Exchange<Buffer>> {
    const { args, flags } = await this.parse(Api);
    if (!args.path.startsWith('/')) throw new UsageError('A path begins with /');
    const isOfMembers = !this.isForPeople && !this.isJson;
    if (flags.include && isOfMembers && !this.isDryRun)
      throw new UsageError('-i prints the raw response; --output and --field print its content');
    if (flags.data === '-' && readsStdin(flags.header))
      throw new UsageError('Only one value can come from stdin');
    const given = parseHeaders(await headerTexts(flags.header, this.input));
    if (flags.data !== undefined) requireNoFileName(flags.data);
    const body = flags.data === undefined ? undefined : await readText(flags.data, this.input, 'always');
    const headers: Readonly<Record<string, string>> = {
      ...defined({ 'content-type': body === undefined ? body : 'application/json' }),
      ...given,
    };
    const answer = await this.client.request({ method: args.method, path: args.path, headers, body });
    const isOfTarget = isTargetAnswer(answer);
    if (flags.include) this.print(headView(answer));
    if (isOfTarget && process.stdout.isTTY && this.isForPeople) this.print(targetBodyView(answer));
    else if (flags.include || isOfTarget || answer.status < 300) this.printBody(answer);
    if (!isOfTarget) decodeAnswer(answer);
    else if (answer.status >= 400) throw failureOfTarget(answer, hostOf(headers[PROXY_HEADERS.targetUrl]));
    return answer;
  }

  private printBody(answer: Exchange<Buffer>): void {
    if (!this.isForPeople && !this.isJson) this.present(jsonBody(answer), () => '');
    else if (isText(answer)) this.print(bodyView(answer, process.stdout.isTTY));
    else if (process.stdout.isTTY)
      throw new UsageError('A binary response is not shown on a terminal', 'save it with > FILE');
    else this.printBytes(answer.body);
  }
}
