/** What a person reads in place of a refusal (contract §14): a sentence in both languages for each reason. */
import { FLOW_REFUSAL_TEXTS, NO_SUCH_DAY, REFUSAL_TEXTS } from '../contract/facts/refusals.ts';
import type { RefusalTag } from '../contract/facts/refusals.ts';
import { choicesOf, listChoicesOf } from './choices.ts';
import { inLanguage, nameOf } from './words.ts';

/** Reasons of the page itself. */
type PageTag =
  | 'ANY'
  | 'NO_DAY'
  | 'FUTURE'
  | 'OLD'
  | 'LONG'
  | 'DIGITS'
  | 'BIG'
  | 'EMPTY'
  | 'UNSEEN'
  | 'SHARE'
  | 'CONTACT'
  | 'OTHER';

type Sentence = readonly [english: string, spanish: string];

/** `{it}` is the name of the field within a sentence, `{do}` asks for it, `{n}` is a number. */
const SENTENCES: Readonly<Record<RefusalTag | PageTag, Sentence>> = {
  REQUIRED: ['{do} {it}', '{do} {it}'],
  PLAYBOOK: ['{do} {it}', '{do} {it}'],
  STR: ['{do} {it}', '{do} {it}'],
  LIST: ['Separate several with commas', 'Separa varios con comas'],
  LEN: ['{do} {it}', '{do} {it}'],
  LONG: ['This is too long: shorten it', 'Es demasiado largo: acórtalo'],
  DIGITS: ['This needs exactly {n} digits', 'Debe tener exactamente {n} cifras'],
  CTRL: [
    'We couldn’t read one of the characters: type it again',
    'No pudimos leer uno de los caracteres: escríbelo de nuevo',
  ],
  DIG: ['Use numbers only', 'Usa solo números'],
  DATE: [
    '{do} {it} as month/day/year, such as 12/30/1988',
    '{do} {it} como mes/día/año, por ejemplo 12/30/1988',
  ],
  NO_DAY: ['That day doesn’t exist: check {it}', 'Ese día no existe: revisa {it}'],
  FUTURE: ['Your date of birth can’t be in the future', 'Tu fecha de nacimiento no puede estar en el futuro'],
  OLD: ['Check the year: this is more than 130 years ago', 'Revisa el año: de eso hace más de 130 años'],
  MAIL: [
    'Enter an e-mail address such as jane@example.com',
    'Escribe un correo electrónico, por ejemplo ana@example.com',
  ],
  TEL: [
    'Enter a phone number with its country code, such as +1 415 555 0132',
    'Escribe un teléfono con el código del país, por ejemplo +1 415 555 0132',
  ],
  CTRY: ['Choose a country from the list', 'Elige un país de la lista'],
  ST: ['Choose a state of the United States', 'Elige un estado de los Estados Unidos'],
  ENUM: ['Choose one of the options', 'Elige una de las opciones'],
  ZIP: ['Use only letters, numbers, spaces and hyphens', 'Usa solo letras, números, espacios y guiones'],
  SUM: ['This number isn’t right: check each digit', 'El número no es correcto: revisa cada cifra'],
  EXP: ['Enter month and year, such as 08/2030', 'Escribe mes y año, por ejemplo 08/2030'],
  SSN: [
    'This isn’t a social security number: check the digits',
    'No es un número de seguro social: revisa las cifras',
  ],
  ITIN: [
    'This isn’t an individual tax number (ITIN): check the digits',
    'No es un número fiscal individual (ITIN): revisa las cifras',
  ],
  DRV: ['We have this already: leave it empty', 'Ya lo tenemos: déjalo vacío'],
  UPL: ['Choose a file', 'Elige un archivo'],
  ANY: ['Choose at least one', 'Elige al menos una opción'],
  FAM: ['We don’t need this: leave it empty', 'No lo necesitamos: déjalo vacío'],
  XSSN: ['We have your ITIN already: leave this empty', 'Ya tenemos tu ITIN: deja esto vacío'],
  XITIN: [
    'We have your social security number already: leave this empty',
    'Ya tenemos tu número de seguro social: deja esto vacío',
  ],
  XTAX: [
    'This differs from the tax number that you gave before: check the digits',
    'No coincide con el número fiscal que diste antes: revisa las cifras',
  ],
  URL: [
    'Enter a web address such as https://example.com',
    'Escribe una dirección web, por ejemplo https://example.com',
  ],
  STK: ['Enter a number above 0, up to 100', 'Escribe un número mayor que 0, hasta 100'],
  OBJ: ['Enter the name and share of each owner', 'Escribe el nombre y la participación de cada propietario'],
  SYM: [
    'Enter each symbol with 3 to 5 letters, such as ACME',
    'Escribe cada símbolo con 3 a 5 letras, por ejemplo ACME',
  ],
  MIME: ['Use JPG, PNG, HEIC or PDF', 'Usa JPG, PNG, HEIC o PDF'],
  SBX: ['This number is for tests only: enter your own', 'Este número es solo para pruebas: escribe el tuyo'],
  DEEP: ['This is too long: shorten it', 'Es demasiado largo: acórtalo'],
  B64: ['This file can’t be read: choose it again', 'Este archivo no se puede leer: elígelo de nuevo'],
  BIG: [
    'This file is larger than 10 MB: choose a smaller one',
    'El archivo pasa de 10 MB: elige uno más pequeño',
  ],
  EMPTY: ['This file is empty: choose another', 'El archivo está vacío: elige otro'],
  UNSEEN: ['This picture can’t be opened: choose another', 'La imagen no se puede abrir: elige otra'],
  CODE: [
    'That code isn’t right. You can try {n} more times',
    'El código no es correcto. Puedes probar {n} veces más',
  ],
  SHARES: [
    'All shares together can’t be more than 100%: these are {n}%',
    'Las participaciones no pueden sumar más del 100 %: estas son el {n} %',
  ],
  TWICE: [
    'This belongs to another owner already: each needs an e-mail address or a phone number of their own',
    'Ya es de otro propietario: cada uno necesita su propio correo electrónico o teléfono',
  ],
  SHARE: ['Enter a whole number from 0 to 100', 'Escribe un número entero de 0 a 100'],
  CONTACT: ['Enter an e-mail address or a phone number', 'Escribe un correo electrónico o un teléfono'],
  OTHER: ['Something isn’t right here: check it', 'Algo no está bien aquí: revísalo'],
};

/** `one`: for the number 1. */
const ONE: Readonly<Partial<Record<keyof typeof SENTENCES, Sentence>>> = {
  CODE: [
    'That code isn’t right. You can try once more',
    'El código no es correcto. Puedes probar una vez más',
  ],
};

const DIGITS: ReadonlyMap<string, number> = new Map([
  ['id.ssn9', 9],
  ['id.ssn4', 4],
  ['id.itin', 9],
  ['id.us_tax_id', 9],
  ['business.tin', 9],
]);

const TEXTS = Object.entries({ ...REFUSAL_TEXTS, ...FLOW_REFUSAL_TEXTS }) as [RefusalTag, string][];

/** The sentence for a reason: the API's text, or a tag of the page. A field that holds nothing is missing. */
export function sentenceOf(identifier: string, reason: string): string {
  const [known, text] = TEXTS.find(([, each]) => reason.startsWith(each)) ?? [reason, ''];
  const detail = reason.slice(text.length).replace(/^[:,] /, '');
  const tag = tagFor(identifier, known in SENTENCES ? (known as keyof typeof SENTENCES) : 'OTHER', detail);
  const number = tag === 'DIGITS' ? (DIGITS.get(identifier) ?? 0) : parseInt(detail, 10);
  const [english, spanish] = (number === 1 ? ONE[tag] : undefined) ?? SENTENCES[tag];
  const { ask, name } = askingFor(identifier);
  return inLanguage(english, spanish)
    .replace('{do}', () => ask)
    .replace('{it}', () => name)
    .replace('{n}', String(number));
}

function tagFor(identifier: string, tag: keyof typeof SENTENCES, detail: string): keyof typeof SENTENCES {
  if (tag === 'DATE' && detail === NO_SUCH_DAY) return 'NO_DAY';
  if (tag === 'REQUIRED' && detail === 'or a phone number') return 'CONTACT';
  if (tag === 'LEN' && DIGITS.has(identifier)) return 'DIGITS';
  if (listChoicesOf(identifier) && (tag === 'LEN' || tag === 'LIST')) return 'ANY';
  // The page sends no empty text, so what has the wrong length is too long.
  if (tag === 'LEN' && !identifier.endsWith('citizenships')) return 'LONG';
  return tag;
}

/** “Enter your first name”, “Choose the corporation type”. */
function askingFor(identifier: string): { ask: string; name: string } {
  const name = nameOf(identifier.replace(/^owners\.\d+\./, 'id.')).replace(/ \([^()]*\)$/, '');
  const inner = /^.[a-zà-ÿ-]/.test(name) ? name.charAt(0).toLowerCase() + name.slice(1) : name;
  const isChosen = choicesOf(identifier) ?? listChoicesOf(identifier);
  const isPlural = /^(?!país)\S+s(?: |$)/.test(inner);
  const isOwn = /^(id|investor_profile)\./.test(identifier);
  return {
    ask: isChosen ? inLanguage('Choose', 'Elige') : inLanguage('Enter', 'Escribe'),
    name: isOwn
      ? inLanguage(`your ${inner}`, `${isPlural ? 'tus' : 'tu'} ${inner}`)
      : inLanguage(`the ${inner}`, `«${name}»`),
  };
}

const FAILURES: Readonly<Record<string, Sentence>> = {
  agree: ['Tick the box to go on.', 'Marca la casilla para continuar.'],
  unreachable: [
    'No answer came. What you typed is still here: check the connection and try again.',
    'No hubo respuesta. Lo que escribiste sigue aquí: revisa la conexión y prueba de nuevo.',
  ],
  T120: ['Something isn’t right. Check what you entered.', 'Algo no está bien. Revisa lo que escribiste.'],
  T121: [
    'Something is still missing. Go back and complete it.',
    'Todavía falta algo. Vuelve atrás y complétalo.',
  ],
  permission_denied: [
    'The app may not save this. Go back to the app and ask for help.',
    'La aplicación no puede guardar esto. Vuelve a la aplicación y pide ayuda.',
  ],
  payload_too_large: SENTENCES.BIG,
};
const FAILED: Sentence = [
  'That didn’t work. Wait a moment and try again.',
  'No ha funcionado. Espera un momento y prueba de nuevo.',
];

/** The sentence for an error without a field, by its code. */
export function failureOf(code: string): string {
  const [english, spanish] = FAILURES[code] ?? FAILED;
  return inLanguage(english, spanish);
}
