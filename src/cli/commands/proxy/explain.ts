import { string } from '@oclif/core/args';
import { ApiError } from '../../../client/errors.ts';
import { BaseCommand } from '../../base-command.ts';
import { noProxyCall } from '../../proxy-answer.ts';
import { explanationView, type Explanation } from '../../views/proxy.ts';

export default class ProxyExplain extends BaseCommand<Explanation> {
  static override summary = 'Explain step by step what the vault proxy did with a request; values are masked';
  static override description =
    'Tokens that were found, headers that were forwarded or stayed here, TLS and pins, ingress rules, times, and ' +
    'what to try next. The journal keeps the last 2,000 requests.';
  static override examples = [
    '<%= config.bin %> proxy explain',
    '<%= config.bin %> proxy explain req_7p793EF07xKXHqAeg5VGPj --json',
  ];
  static override args = {
    request_id: string({ description: 'x-request-id of the call; the newest proxy call unless given' }),
  };

  async run(): Promise<Explanation> {
    const { args } = await this.parse(ProxyExplain);
    const id = args.request_id ?? (await this.newest());
    try {
      const explanation = await this.client.call('GET /_kyclone/requests/{id}/proxy', { params: { id } });
      return this.present(explanation, explanationView);
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) {
        throw noProxyCall('No proxy call of the last 2,000 requests has this id');
      }
      throw error;
    }
  }

  private async newest(): Promise<string> {
    const query = { path: '/vault_proxy/**', page_size: 100 };
    const { data } = await this.client.call('GET /_kyclone/requests', { query });
    const call = data.find(({ proxy }) => proxy !== undefined);
    if (!call) throw noProxyCall('There was no proxy call among the last 2,000 requests');
    this.note(`Request ${call.id}, ${call.at}`);
    return call.id;
  }
}
