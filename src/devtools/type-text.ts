/** Writes a type out in full, without names that would need an import. */
import ts from 'typescript';

/** Types of the standard library, which keep their names. */
const KNOWN: ReadonlySet<string> = new Set(['Uint8Array', 'AsyncIterable', 'Date']);
const NAME = /^[A-Za-z_$][\w$]*$/;

export function typeText(checker: ts.TypeChecker, type: ts.Type): string {
  const text = (each: ts.Type): string => typeText(checker, each);
  const plain = () => checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation);
  if (type.isUnion()) return unionText(checker, type);
  if (type.getCallSignatures().length > 0) throw new Error(`a function in an answer: ${plain()}`);
  const symbol = type.getSymbol()?.name;
  if (symbol !== undefined && KNOWN.has(symbol)) {
    const [of] = checker.getTypeArguments(type as ts.TypeReference);
    return symbol === 'AsyncIterable' && of ? `AsyncIterable<${text(of)}>` : symbol;
  }
  if (checker.isTupleType(type)) return plain();
  if (checker.isArrayType(type)) {
    const [element] = checker.getTypeArguments(type as ts.TypeReference);
    const inner = element ? text(element) : 'unknown';
    return /^[\w$]+$/.test(inner) ? `${inner}[]` : `Array<${inner}>`;
  }
  if (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) return objectText(checker, type);
  return plain();
}

function unionText(checker: ts.TypeChecker, type: ts.UnionType): string {
  const parts = type.types.map((each) => typeText(checker, each));
  const isBoolean = parts.includes('true') && parts.includes('false');
  const shown = isBoolean
    ? [...parts.filter((part) => part !== 'true' && part !== 'false'), 'boolean']
    : parts;
  return [...new Set(shown)].join(' | ');
}

function objectText(checker: ts.TypeChecker, type: ts.Type): string {
  const members = checker.getPropertiesOfType(type).map((property) => {
    const isOptional = (property.flags & ts.SymbolFlags.Optional) !== 0;
    const name = NAME.test(property.name) ? property.name : JSON.stringify(property.name);
    return `${name}${isOptional ? '?' : ''}: ${typeText(checker, checker.getTypeOfSymbol(property))};`;
  });
  const indexes = checker
    .getIndexInfosOfType(type)
    .map((info) => `[name: ${checker.typeToString(info.keyType)}]: ${typeText(checker, info.type)};`);
  const all = [...indexes, ...members];
  if (all.length === 0) return 'Record<string, never>';
  return `{\n${all.join('\n')}\n}`;
}
