import { describe, expect, test } from 'vitest';
import { distinctLabels, labelOf } from '../../src/form/labels.ts';

describe('labelOf', () => {
  test.each([
    ['id.first_name', 'First name'],
    ['id.ssn9', 'Social security number'],
    ['id.address_line1', 'Address line 1'],
    ['id.drivers_license_number', 'Driver’s license number'],
    ['id.us_tax_id', 'US tax ID'],
    ['investor_profile.risk_tolerance', 'Risk tolerance'],
    ['card.k2J9.number', 'Card number'],
    ['card.k2J9.billing_address.zip', 'Card billing address postal code'],
    ['bank.main.ach_routing_number', 'Bank ACH routing number'],
    ['document.id_card.front.image', 'ID card front image'],
    ['document.custom.lease-2024', 'Lease 2024'],
    ['document.finra_compliance_letter', 'FINRA compliance letter'],
    ['business.name', 'Business name'],
    ['business.beneficial_owners.first.id.last_name', 'Owner first last name'],
    ['custom.plan', 'Plan'],
    ['custom.constructor', 'Constructor'],
  ])('labelOf: %s is %s', (identifier, label) => {
    expect(labelOf(identifier)).toBe(label);
  });
});

describe('distinctLabels', () => {
  test('distinctLabels: a given label stands as it is', () => {
    expect(distinctLabels([{ identifier: 'id.dob', label: 'Born' }])).toEqual(['Born']);
  });

  test('distinctLabels: labels that would be the same carry their identifiers', () => {
    const fields = [
      { identifier: 'card.a.number' },
      { identifier: 'id.dob' },
      { identifier: 'card.b.number' },
    ];

    expect(distinctLabels(fields)).toEqual([
      'Card number (card.a.number)',
      'Date of birth',
      'Card number (card.b.number)',
    ]);
  });
});
