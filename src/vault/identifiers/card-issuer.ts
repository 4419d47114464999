type Prefix = string | readonly [first: string, last: string];

/** Leading digits by issuer, contract §1.7; the first match wins, so the order counts. */
const ISSUERS: readonly (readonly [issuer: string, prefixes: readonly Prefix[]])[] = [
  ['forbrugsforeningen', ['600722']],
  ['dankort', ['4571', '5019']],
  ['visa_electron', ['4026', '417500', '4405', '4508', '4844', '4913', '4917']],
  ['amex', ['34', '37']],
  ['diners_club', [['300', '305'], '3095', '36', '38', '39']],
  ['jcb', [['3528', '3589']]],
  ['mir', [['2200', '2204']]],
  ['maestro', ['5018', '5020', '5038', '5893', '6304', '6390', '6759', ['6761', '6763']]],
  [
    'master_card',
    [
      ['51', '55'],
      ['2221', '2720'],
    ],
  ],
  ['discover', ['6011', ['622126', '622925'], ['644', '649'], '65']],
  ['union_pay', ['62', '81']],
  ['visa', ['4']],
];

function startsWithin(number: string, prefix: Prefix): boolean {
  if (typeof prefix === 'string') return number.startsWith(prefix);
  const [first, last] = prefix;
  const start = number.slice(0, first.length);
  return start >= first && start <= last;
}

/** The issuer of a card number by its leading digits, `unknown` when no line fits. */
export function cardIssuer(number: string): string {
  const match = ISSUERS.find(([, prefixes]) => prefixes.some((prefix) => startsWithin(number, prefix)));
  return match?.[0] ?? 'unknown';
}
