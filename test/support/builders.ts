import type { EndpointKey, RequestOf } from '../../src/contract/registry.ts';

type IdentifierMap = Record<string, unknown>;

/** Ten identifiers of a user, all valid, none of a fixture. */
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

/** A user who has all that the first kyc playbook asks for. */
export function aReadyUser(changes: IdentifierMap = {}): IdentifierMap {
  return aUser({ 'id.state': 'ca', ...changes });
}

/** A business that has all that the first kyb playbook asks for. */
export function aReadyBusiness(changes: IdentifierMap = {}): IdentifierMap {
  return aBusiness({
    'business.address_line1': '1 Loop Road',
    'business.city': 'Enclave',
    'business.zip': '94117',
    ...changes,
  });
}

/** The playbooks that each environment begins with (contract §4.1). */
export const KYC = 'pb_test_kycdefault000000000000';
export const KYB = 'pb_test_kybdefault000000000000';

/** Six identifiers of a business, all valid. */
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

/** What a key of a test may do; without `scopes` and `permissions` everything. */
export function aKey(changes: NewKey = {}): NewKey {
  return { name: 'key of a test', ...changes };
}

/** The smallest PNG there is, or one with this many bytes appended: what it shows doesn't matter. */
export function aPng(more = 0): Buffer {
  const pixel =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  return Buffer.concat([Buffer.from(pixel, 'base64'), Buffer.alloc(more, 'k')]);
}
