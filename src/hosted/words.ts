/** The words of the page (contract §14). Accessible names are part of what tests rely on: docs/hosted.md lists them. */
import { labelOf } from '../form/labels.ts';

const LABELS: ReadonlyMap<string, string> = new Map([
  ['id.email', 'E-mail address'],
  ['id.phone_number', 'Phone number'],
  ['id.address_line1', 'Street address'],
  ['id.address_line2', 'Apartment, suite (optional)'],
  ['id.ssn9', 'Social security number'],
  ['id.ssn4', 'Last four digits of the social security number'],
  ['id.us_tax_id', 'Tax ID'],
  ['id.zip', 'Postal code'],
  ['business.name', 'Legal name of the business'],
  ['business.tin', 'Tax ID of the business (EIN)'],
  ['business.address_line1', 'Street address of the business'],
  ['business.address_line2', 'Suite (optional)'],
]);

/** Every identifier of a flow has one name, wherever it is shown. */
export function nameOf(identifier: string): string {
  return LABELS.get(identifier) ?? labelOf(identifier);
}

const TITLES: ReadonlyMap<string, readonly [title: string, lead: string]> = new Map([
  ['name', ['What is your name?', 'As it stands on your identity document.']],
  ['birth', ['When were you born?', 'We use it to find you in records.']],
  ['contact', ['How can we reach you?', '']],
  ['address', ['Where do you live?', 'Your home address, no post-office box.']],
  ['tax', ['Your tax number', 'It is encrypted, and shown to nobody in full.']],
  ['legal_status', ['Your legal status', 'In the United States.']],
  ['licence', ['Your driver’s license', '']],
  ['business', ['About the business', 'As it is registered.']],
  ['business_address', ['Where is the business?', 'Its registered address.']],
  ['investor_profile', ['Your investments', 'So that you are offered what suits you.']],
  ['more', ['A few more details', '']],
]);

export function titleOf(screen: string): readonly [title: string, lead: string] {
  return TITLES.get(screen) ?? [nameOf(screen), ''];
}

/** `proof_of_address` is “Proof of address”. */
export function wordsOf(word: string): string {
  const text = KINDS.get(word) ?? word.replace(/_/g, ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const KINDS: ReadonlyMap<string, string> = new Map([
  ['id_card', 'identity card'],
  ['drivers_license', 'driver’s license'],
  ['ssn_card', 'social security card'],
  ['llc', 'LLC'],
  ['llp', 'LLP'],
  ['c_corporation', 'C corporation'],
  ['s_corporation', 'S corporation'],
  ['b_corporation', 'B corporation'],
]);

/** The outcomes of contract §4.4, each with what it is for. */
export const OUTCOMES: readonly (readonly [value: string, name: string, line: string])[] = [
  ['', 'As configured', 'Outcome rules, the sandbox id and the playbook decide'],
  ['pass', 'Pass', 'Everything matches'],
  ['fail', 'Fail', 'Nothing matches'],
  ['manual_review', 'Manual review', 'Fails, and somebody has to look'],
  ['step_up', 'Step up', 'Asks for a document'],
  ['none', 'None', 'No decision'],
  ['error', 'Error', 'The run breaks'],
  ['pending', 'Pending', 'Waits until it is resolved'],
];
