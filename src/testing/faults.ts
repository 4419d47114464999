import type { Client } from '../client/client.ts';
import { FAULT_PRESETS } from '../contract/fault-presets.ts';
import type { FaultRule, Faults, NewFault } from './api.ts';
import { KycloneError } from './errors.ts';

const EVERY_CALL = '/**';
const PAGE_SIZE = 100;

export function createFaults(client: Client): Faults {
  async function list(): Promise<FaultRule[]> {
    const rules: FaultRule[] = [];
    for (let cursor: string | undefined; ;) {
      const page = await client.call('GET /_kyclone/faults', { query: { cursor, page_size: PAGE_SIZE } });
      rules.push(...page.data);
      if (page.meta.next === null) return rules;
      cursor = page.meta.next;
    }
  }

  return {
    list,
    add(rule, match) {
      const given = typeof rule === 'string' ? preset(rule) : rule;
      const body = { ...given, match: { path: EVERY_CALL, ...given.match, ...match } };
      return client.call('POST /_kyclone/faults', { body });
    },
    async clear(id) {
      if (id === undefined) await client.call('DELETE /_kyclone/faults');
      else await client.call('DELETE /_kyclone/faults/{id}', { params: { id } });
    },
  };
}

function preset(name: string): NewFault {
  const found = FAULT_PRESETS.find((each) => each.name === name);
  if (found) return found.rule;
  const names = FAULT_PRESETS.map((each) => each.name).join(', ');
  throw new KycloneError('invalid_option', `There is no preset of that name; there are ${names}`);
}
