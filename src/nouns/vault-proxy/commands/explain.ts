import { string } from '@oclif/core/args';
import { ifFound } from '../../../client/errors.ts';
import { PAGE_SIZE } from '../../../contract/facts/limits.ts';
import { BaseCommand } from '../../../cli/shell/base-command.ts';
import { noProxyCall } from './answer.ts';
import { explanationView, type Explanation } from './view.ts';

class ProxyExplain extends BaseCommand<Explanation> {
  static override summary = 'Explain step by step what the vault proxy did with a request; values are masked';
  static override description =
    'Tokens that were found, headers that were forwarded or removed, TLS and pins, ingress rules, times, and ' +
    'what to try next. The journal keeps the last 2,000 requests.';
  static override examples = ['', 'req_… --json'];
  static override args = {
    request_id: string({ description: 'x-request-id of the call; default: the newest proxy call' }),
  };

  async run(): Promise<Explanation> {
    const { args } = await this.parse(ProxyExplain);
    const params = { id: args.request_id ?? (await this.newest()) };
    const explanation = await ifFound(this.client.call('GET /_kyclone/requests/{id}/proxy', { params }));
    if (explanation === undefined)
      throw noProxyCall(
        'No proxy call with this id since the daemon started (the journal keeps the last 2,000 requests)',
      );
    // The entry may just have dropped out of the journal.
    const entry = this.isForPeople
      ? await ifFound(this.client.call('GET /_kyclone/requests/{id}', { params }))
      : undefined;
    return this.present(explanation, (shown, style) => explanationView(shown, style, entry));
  }

  private async newest(): Promise<string> {
    const query = { path: '/vault_proxy/**', page_size: PAGE_SIZE.most };
    const { data } = await this.client.call('GET /_kyclone/requests', { query });
    const call = data.find(({ proxy }) => proxy !== undefined);
    if (!call) throw noProxyCall('There was no proxy call among the last 2,000 requests');
    this.note(`Request ${call.id}, ${call.at}`);
    return call.id;
  }
}

export default { 'proxy:explain': ProxyExplain };
