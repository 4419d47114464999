import type { EndpointKey, RequestOf } from '../../src/contract/registry.ts';

type IdentifierMap = Record<string, unknown>;

/** Ten valid identifiers of a user. None has a value that triggers a fixture. */
export function aUser(changes: IdentifierMap = {}): IdentifierMap {
  return {
    'id.first_name': 'Wilhelmina',
    'id.last_name': 'Oyelaran',
    'id.dob': '1988-12-30',
    'id.ssn9': '121-12-1212',
    'id.email': 'wilhelmina@oyelaran.example',
    'id.phone_number': '+1 (415) 555-2671',
    'id.address_line1': '742 Evergreen Terrace',
    'id.city': 'Enclave',
    'id.zip': '94117',
    'id.country': 'us',
    ...changes,
  };
}

/** A user with all identifiers that the default kyc playbook requires. */
export function aReadyUser(changes: IdentifierMap = {}): IdentifierMap {
  return aUser({ 'id.state': 'ca', ...changes });
}

/** Returns values as the fields of a command line. */
export function asFields(values: IdentifierMap): string[] {
  return Object.entries(values).map(([identifier, value]) => `${identifier}=${String(value)}`);
}

/** A business with all identifiers that the default kyb playbook requires. */
export function aReadyBusiness(changes: IdentifierMap = {}): IdentifierMap {
  return aBusiness({
    'business.address_line1': '1 Loop Road',
    'business.city': 'Enclave',
    'business.zip': '94117',
    ...changes,
  });
}

/** The playbooks that each new environment has (contract §4.1). */
export const KYC = 'pb_test_kycdefault000000000000';
export const KYB = 'pb_test_kybdefault000000000000';

/** Six valid identifiers of a business. */
export function aBusiness(changes: IdentifierMap = {}): IdentifierMap {
  return {
    'business.name': 'Acme Incorporated',
    'business.tin': '12-1234567',
    'business.country': 'us',
    'business.state': 'ca',
    'business.website': 'https://acme.example',
    'business.corporation_type': 'llc',
    ...changes,
  };
}

type NewKey = NonNullable<RequestOf<Extract<EndpointKey, 'POST /_kyclone/api-keys'>>['body']>;

/** The body for a new API key. Without `scopes` and `permissions` the key may do everything. */
export function aKey(changes: NewKey = {}): NewKey {
  return { name: 'key of a test', ...changes };
}

/** Returns the smallest PNG, with `more` bytes appended. The picture itself doesn't matter. */
export function aPng(more = 0): Buffer {
  const pixel =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  return Buffer.concat([Buffer.from(pixel, 'base64'), Buffer.alloc(more, 'k')]);
}
