/**
 * Labels for people, derived from identifiers: `card.main.billing_address.zip` is the card's billing address postal
 * code.
 */
const WORDS: ReadonlyMap<string, string> = new Map([
  ['ach', 'ACH'],
  ['curp', 'CURP'],
  ['cvc', 'security code'],
  ['dba', 'trade name'],
  ['dob', 'date of birth'],
  ['drivers', 'driver’s'],
  ['finra', 'FINRA'],
  ['id', 'ID'],
  ['itin', 'ITIN'],
  ['line1', 'line 1'],
  ['line2', 'line 2'],
  ['ssn', 'SSN'],
  ['ssn4', 'last four digits of the social security number'],
  ['ssn9', 'social security number'],
  ['tin', 'tax ID'],
  ['us', 'US'],
  ['zip', 'postal code'],
]);

export function labelOf(identifier: string): string {
  const text = withoutFamily(identifier)
    .split(/[._-]/)
    .map((word) => WORDS.get(word) ?? word)
    .join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function withoutFamily(identifier: string): string {
  return identifier
    .replace(/^(id|custom|investor_profile|document\.custom|document)\./, '')
    .replace(/^(card|bank)\.[^.]+\./, '$1.')
    .replace(/^business\.beneficial_owners\.([^.]+)\.(id\.)?/, 'owner.$1.');
}

/** Returns a distinct label for each field: labels that would be equal include their identifier. */
export function distinctLabels(fields: readonly { identifier: string; label?: string }[]): string[] {
  const labels = fields.map(({ identifier, label }) => label ?? labelOf(identifier));
  return labels.map((label, index) =>
    labels.indexOf(label) === labels.lastIndexOf(label)
      ? label
      : `${label} (${fields[index]?.identifier ?? ''})`,
  );
}
