import { type CallExpression, type Expression, type Node, type SourceFile, SyntaxKind } from 'typescript/unstable/ast';
import * as is from 'typescript/unstable/ast/is';

/** One change of a program that its tests should notice. */
export interface Mutant {
  readonly id: number;
  readonly file: string;
  readonly line: number;
  /** Where in the file's text something else stands. */
  readonly start: number;
  readonly end: number;
  readonly before: string;
  readonly after: string;
  /** What stands around a number or a truth value, which alone would not tell which one it is. */
  readonly around: readonly [before: string, after: string];
}

export interface Instrumented {
  /** The program with all its mutants: `globalThis.mutant(id)` says which one is active. */
  readonly source: string;
  readonly mutants: readonly Mutant[];
}

/** What has to follow an expression that is not there. */
type Place = 'Expression' | 'Statement' | 'Spread' | 'Shorthand';

const flips: Readonly<Record<number, string>> = {
  [SyntaxKind.LessThanToken]: '<=',
  [SyntaxKind.LessThanEqualsToken]: '<',
  [SyntaxKind.GreaterThanToken]: '>=',
  [SyntaxKind.GreaterThanEqualsToken]: '>',
  [SyntaxKind.EqualsEqualsEqualsToken]: '!==',
  [SyntaxKind.ExclamationEqualsEqualsToken]: '===',
  [SyntaxKind.PlusToken]: '-',
  [SyntaxKind.MinusToken]: '+',
  [SyntaxKind.AsteriskToken]: '/',
  [SyntaxKind.SlashToken]: '*',
};

const comparisons: ReadonlySet<number> = new Set([
  SyntaxKind.LessThanToken,
  SyntaxKind.LessThanEqualsToken,
  SyntaxKind.GreaterThanToken,
  SyntaxKind.GreaterThanEqualsToken,
  SyntaxKind.EqualsEqualsEqualsToken,
  SyntaxKind.ExclamationEqualsEqualsToken,
]);

const operands: ReadonlySet<number> = new Set([
  SyntaxKind.AmpersandAmpersandToken,
  SyntaxKind.BarBarToken,
  SyntaxKind.QuestionQuestionToken,
]);

const calls = new Map([
  ['some', 'every'],
  ['every', 'some'],
  ['min', 'max'],
  ['max', 'min'],
]);

/** Texts for people are read by their own tests, which a word more does not break. */
const wording = /^(?:message|advice|describe\w*|tell\w*)$/;

/** What names a mutant as long as its place in the file alone changes. */
export function nameOf({ file, before, after, around: [left, right] }: Mutant): string {
  return `${file}: ${oneLine(left + before + right)} -> ${oneLine(left + after + right) || '(nothing)'}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}

/** All mutants of a program, in one text that behaves as the original until one of them is active. */
export function instrument(file: SourceFile, name: string, firstId: number): Instrumented {
  const mutants: Mutant[] = [];
  const { text } = file;
  const startOf = (node: Node): number => node.getStart(file);
  const textOf = (node: Node): string => text.slice(startOf(node), node.end);

  /** The node's text, in which its parts are instrumented. */
  function inner(node: Node): string {
    let done = startOf(node);
    let out = '';
    node.forEachChild((child) => {
      if (startOf(child) < done) return;
      out += text.slice(done, startOf(child)) + render(child);
      done = child.end;
    });
    return out + text.slice(done, node.end);
  }

  function render(node: Node): string {
    if (isLeftAlone(node)) return textOf(node);
    const alternatives = alternativesOf(node).filter((one) => one !== textOf(node));
    const ids = alternatives.map((after) => {
      const id = firstId + mutants.length;
      const line = file.getLineAndCharacterOfPosition(startOf(node)).line + 1;
      const place = { file: name, line, start: startOf(node), end: node.end };
      mutants.push({ id, ...place, before: textOf(node), after, around: aroundOf(node) });
      return id;
    });
    return weave(inner(node), alternatives, ids, placeOf(node));
  }

  function aroundOf(node: Node): Mutant['around'] {
    if (!is.isNumericLiteral(node) && !isTruthValue(node)) return ['', ''];
    const { parent } = node;
    return [text.slice(startOf(parent), startOf(node)), text.slice(node.end, parent.end)];
  }

  /** What could stand here instead. */
  function alternativesOf(node: Node): readonly string[] {
    if (is.isExpressionStatement(node)) return [''];
    if (is.isSpreadAssignment(node)) return ['...{}'];
    if (is.isSpreadElement(node)) return ['...[]'];
    if (is.isShorthandPropertyAssignment(node)) return [`${textOf(node)}: undefined`];
    if (!isExpression(node)) return [];
    return [...new Set([...byRole(node), ...byKind(node)])];
  }

  /** By where it stands. */
  function byRole(node: Node): readonly string[] {
    const { parent } = node;
    const isCondition =
      ((is.isIfStatement(parent) || is.isWhileStatement(parent)) && parent.expression === node) ||
      (is.isConditionalExpression(parent) && parent.condition === node);
    if (isCondition) return is.isWhileStatement(parent) ? ['false'] : ['true', 'false'];
    const isReturned =
      (is.isReturnStatement(parent) && parent.expression === node) ||
      (is.isArrowFunction(parent) && parent.body === node);
    if (isReturned) return isBoolean(node) ? ['true', 'false'] : isPlain(node) ? [] : ['undefined'];
    const isValue = is.isPropertyAssignment(parent) && parent.initializer === node;
    if (isValue) return isPlain(node) && !is.isStringLiteral(node) ? [] : ['undefined'];
    return [];
  }

  /** By what it is. */
  function byKind(node: Node): readonly string[] {
    if (is.isNumericLiteral(node)) return [node.text === '0' ? '1' : node.text === '1' ? '0' : `${node.text} + 1`];
    if (node.kind === SyntaxKind.TrueKeyword) return ['false'];
    if (node.kind === SyntaxKind.FalseKeyword) return ['true'];
    if (is.isPrefixUnaryExpression(node) && node.operator === SyntaxKind.ExclamationToken)
      return hasRoleOfCondition(node) ? [] : [textOf(node.operand)];
    if (is.isArrayLiteralExpression(node)) return node.elements.length > 0 ? ['[]'] : [];
    if (is.isBinaryExpression(node)) return ofBinary(node.left, node.operatorToken.kind, node.right, node);
    return is.isCallExpression(node) ? ofCall(node) : [];
  }

  function ofBinary(left: Node, operator: SyntaxKind, right: Node, whole: Node): readonly string[] {
    if (operands.has(operator)) return [textOf(left), textOf(right)];
    const flipped = flips[operator];
    if (flipped === undefined) return [];
    if (comparisons.has(operator) && hasRoleOfCondition(whole) && /^[=!]==$/.test(flipped)) return [];
    if (operator === SyntaxKind.PlusToken && [left, right].some(isText)) return [];
    return [`${textOf(left)} ${flipped} ${textOf(right)}`];
  }

  /** The other quantifier. A guard (`?.`) that is missing is the compiler's to find. */
  function ofCall(call: CallExpression): readonly string[] {
    const called = is.isPropertyAccessExpression(call.expression) ? call.expression.name : undefined;
    const other = called && calls.get(called.text);
    if (!called || other === undefined) return [];
    return [text.slice(startOf(call), startOf(called)) + other + text.slice(called.end, call.end)];
  }

  return { source: inner(file), mutants };
}

/** With ids in which any is active, that one; else the original. */
function weave(original: string, alternatives: readonly string[], ids: readonly number[], place: Place): string {
  if (alternatives.length === 0) return original;
  const active = (at: number): string => `globalThis.mutant(${ids[at]})`;
  switch (place) {
    case 'Statement':
      return `${active(0)} ? undefined : (${original.replace(/;$/, '')});`;
    case 'Spread':
      return `...(${active(0)} ? [] : (${original.slice(3)}))`;
    case 'Shorthand':
      return `${original}: (${active(0)} ? undefined : ${original})`;
    case 'Expression':
      return `(${alternatives.map((one, at) => `${active(at)} ? (${one}) : `).join('')}(${original}))`;
    default:
      return place satisfies never;
  }
}

function placeOf(node: Node): Place {
  if (is.isExpressionStatement(node)) return 'Statement';
  if (is.isSpreadAssignment(node) || is.isSpreadElement(node)) return 'Spread';
  return is.isShorthandPropertyAssignment(node) ? 'Shorthand' : 'Expression';
}

function isLeftAlone(node: Node): boolean {
  if (is.isTypeNode(node) || is.isInterfaceDeclaration(node) || is.isTypeAliasDeclaration(node)) return true;
  if (is.isImportDeclaration(node) || is.isExportDeclaration(node) || is.isTypeParameterDeclaration(node)) return true;
  if (is.isTemplateExpression(node) || is.isThrowStatement(node)) return true;
  const isNamed =
    is.isPropertyAssignment(node) || is.isFunctionDeclaration(node) || is.isShorthandPropertyAssignment(node);
  if (isNamed && node.name && is.isIdentifier(node.name) && wording.test(node.name.text)) return true;
  const isText = is.isVariableDeclaration(node) && is.isIdentifier(node.name) && wording.test(node.name.text);
  return isText;
}

function isExpression(node: Node): node is Expression {
  const { parent } = node;
  // What is assigned to, called, deleted or destructured keeps its form.
  if (is.isBinaryExpression(parent) && parent.left === node && isAssignment(parent.operatorToken.kind)) return false;
  if (is.isDeleteExpression(parent) || ('name' in parent && parent.name === node)) return false;
  return !is.isBlock(node) && !isWithinChain(node);
}

function isAssignment(kind: SyntaxKind): boolean {
  return kind >= SyntaxKind.FirstAssignment && kind <= SyntaxKind.LastAssignment;
}

function isPlain(node: Node): boolean {
  if (is.isIdentifier(node)) return node.text === 'undefined';
  return (
    is.isNumericLiteral(node) ||
    is.isBlock(node) ||
    is.isArrowFunction(node) ||
    is.isTemplateExpression(node) ||
    is.isVoidExpression(node) ||
    isTruthValue(node)
  );
}

function isTruthValue(node: Node): boolean {
  return node.kind === SyntaxKind.TrueKeyword || node.kind === SyntaxKind.FalseKeyword;
}

function isBoolean(node: Node): boolean {
  if (is.isPrefixUnaryExpression(node)) return node.operator === SyntaxKind.ExclamationToken;
  return is.isBinaryExpression(node) && comparisons.has(node.operatorToken.kind);
}

/** Whether it is replaced by true and by false anyway. */
function hasRoleOfCondition(node: Node): boolean {
  const { parent } = node;
  if (is.isIfStatement(parent) || is.isReturnStatement(parent) || is.isArrowFunction(parent)) return true;
  return is.isConditionalExpression(parent) && parent.condition === node;
}

function isText(node: Node): boolean {
  return is.isStringLiteral(node) || is.isTemplateExpression(node) || is.isNoSubstitutionTemplateLiteral(node);
}

/** A link within `a?.b.c()` cannot be put in parentheses: what follows it would no longer be skipped. */
function isWithinChain(node: Node): boolean {
  const { parent } = node;
  const isLink =
    is.isPropertyAccessExpression(parent) ||
    is.isElementAccessExpression(parent) ||
    is.isCallExpression(parent) ||
    is.isNonNullExpression(parent);
  return isLink && parent.expression === node;
}
