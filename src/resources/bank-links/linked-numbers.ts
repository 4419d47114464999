import type { JsonValue } from '../../kernel/json.ts';
import type { PreparedLink } from './new-link.ts';

/**
 * The account numbers of a link for the vault of its user, under `bank.<account id>.*` (contract §7.2): checking and
 * savings accounts, including closed ones. May be empty.
 */
export function linkedNumbers(accounts: PreparedLink['accounts']): Map<string, JsonValue> {
  return new Map(
    accounts.flatMap(({ id, world: { name, account_type, numbers } }) => {
      const type = VAULTED_TYPES.get(account_type);
      if (type === undefined || numbers === null) return [];
      const values = {
        name,
        ach_routing_number: numbers.routing,
        ach_account_number: numbers.account,
        account_type: type,
        ach_account_id: id,
      };
      return Object.entries(values).map(([field, value]): [string, JsonValue] => [
        `bank.${id}.${field}`,
        value,
      ]);
    }),
  );
}

const VAULTED_TYPES: ReadonlyMap<string, string> = new Map([
  ['depository.checking', 'checking'],
  ['depository.savings', 'savings'],
]);
