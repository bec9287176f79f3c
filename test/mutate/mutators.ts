import ts from '@typescript/typescript6'

export const mutantKinds = [
  'comparison',
  'negation',
  'logic',
  'arithmetic',
  'number',
  'boolean',
  'string',
  'method',
  'statement',
  'return',
] as const

/** A small change of a source file that a test should notice. */
export interface Mutant {
  readonly file: string
  readonly line: number
  readonly kind: (typeof mutantKinds)[number]
  /** Offset of the replaced code. */
  readonly start: number
  readonly end: number
  /** True if the code is in a function, so that it does not only run when the module is loaded. */
  readonly inFunction: boolean
  /** Code that replaces it and calls `mutantReached()` when it runs. */
  readonly patch: string
  /** Code before and after the change, as reports show it. */
  readonly before: string
  readonly after: string
}

/** Expression that records that the changed code ran; the tests' process defines it. */
const probe = 'mutantReached()'

const comparisons: ReadonlyMap<string, string> = new Map([
  ['<', '<='],
  ['<=', '<'],
  ['>', '>='],
  ['>=', '>'],
  ['===', '!=='],
  ['!==', '==='],
])
const logic: ReadonlyMap<string, string> = new Map([
  ['&&', '||'],
  ['||', '&&'],
])
const arithmetic: ReadonlyMap<string, string> = new Map([
  ['-', '+'],
  ['*', '/'],
  ['/', '*'],
  ['%', '*'],
])

/** Methods and their replacements; `slice` and `toString` return the value as it is. */
const methods: ReadonlyMap<string, string> = new Map([
  ['some', 'every'],
  ['every', 'some'],
  ['find', 'findLast'],
  ['findLast', 'find'],
  ['indexOf', 'lastIndexOf'],
  ['lastIndexOf', 'indexOf'],
  ['filter', 'slice'],
  ['sort', 'slice'],
  ['toSorted', 'slice'],
  ['reverse', 'slice'],
  ['toReversed', 'slice'],
  ['concat', 'slice'],
  ['push', 'unshift'],
  ['unshift', 'push'],
  ['shift', 'pop'],
  ['pop', 'shift'],
  ['startsWith', 'endsWith'],
  ['endsWith', 'startsWith'],
  ['toLowerCase', 'toUpperCase'],
  ['toUpperCase', 'toLowerCase'],
  ['trim', 'toString'],
  ['min', 'max'],
  ['max', 'min'],
  ['floor', 'ceil'],
  ['ceil', 'floor'],
])

/** Members whose values are descriptions, or names that only documents show. */
const described: ReadonlySet<string> = new Set([
  'description',
  'help',
  'message',
  'spec',
  'summary',
  'title',
])

/** Maximum length of a list of literals that is mutated. Longer lists are data. */
const longestList = 16

/** Returns all mutants of a TypeScript file, in the order of its code. */
export function mutantsOf(file: string, text: string): readonly Mutant[] {
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const found: Mutant[] = []

  const add = (
    kind: Mutant['kind'],
    node: ts.Node,
    after: string,
    patch = `(${probe}, ${after})`,
  ) => {
    const start = node.getStart(tree)
    const line = tree.getLineAndCharacterOfPosition(start).line + 1
    const before = node.getText(tree)
    // A statement that begins with a parenthesis would continue the line before.
    const isStatement = ts.isExpressionStatement(node.parent) && patch.startsWith('(')
    const safe = isStatement ? `void ${patch}` : patch
    const inFunction = ts.findAncestor(node.parent, ts.isFunctionLike) !== undefined
    found.push({ file, line, kind, start, end: node.end, inFunction, patch: safe, before, after })
  }

  const walk = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || isDescribed(node)) return
    if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return
    mutateExpression(node, tree, add)
    mutateStatement(node, tree, add)
    ts.forEachChild(node, walk)
  }
  walk(tree)
  return found.sort((a, b) => a.start - b.start)
}

/** Returns the text of a file with the mutant in it. */
export function applyMutant(text: string, { start, end, patch }: Mutant): string {
  return text.slice(0, start) + patch + text.slice(end)
}

/**
 * Returns the text of a file with several mutants in it, which do not overlap. Each one has an
 * effect while the global variable `activeMutant` is its name.
 */
export function applySwitches(
  text: string,
  mutants: readonly { readonly name: string; readonly mutant: Mutant }[],
): string {
  return mutants
    .toSorted((a, b) => b.mutant.start - a.mutant.start)
    .reduce((changed, { name, mutant }) => {
      const patch = switchedPatch(mutant, `activeMutant === ${JSON.stringify(name)}`)
      return applyMutant(changed, { ...mutant, patch })
    }, text)
}

/** Returns code that does what the patch of a mutant does if a condition holds. */
function switchedPatch({ kind, patch, before }: Mutant, condition: string): string {
  if (kind === 'statement') return `{ if (${condition}) ${patch} else { ${before} } }`
  if (kind === 'return') return `{ if (${condition}) { ${probe}; return } ${before.slice(1)}`
  if (kind === 'method') {
    const at = patch.lastIndexOf('[') + 1
    const name = before.slice(before.lastIndexOf('.') + 1)
    return `${patch.slice(0, at)}${condition} ? ${patch.slice(at, -1)} : '${name}']`
  }
  return `${patch.startsWith('void ') ? 'void ' : ''}(${condition} ? ${patch} : ${before})`
}

type Add = (kind: Mutant['kind'], node: ts.Node, after: string, patch?: string) => void

function mutateExpression(node: ts.Node, tree: ts.SourceFile, add: Add): void {
  if (ts.isBinaryExpression(node)) {
    const operator = node.operatorToken.getText(tree)
    const swap = (kind: Mutant['kind'], other: string | undefined) => {
      if (other === undefined) return
      add(kind, node, `${node.left.getText(tree)} ${other} ${node.right.getText(tree)}`)
    }
    swap('comparison', comparisons.get(operator))
    swap('logic', mixesWithNullish(node) ? undefined : logic.get(operator))
    swap('arithmetic', arithmetic.get(operator))
  } else if (ts.isNumericLiteral(node) && isValue(node)) {
    const value = Number(node.text)
    if (Number.isSafeInteger(value)) add('number', node, String(value + 1))
    if (Number.isSafeInteger(value) && value > 0) add('number', node, String(value - 1))
  } else if (ts.isBigIntLiteral(node)) {
    add('number', node, `${BigInt(node.text.slice(0, -1)) + 1n}n`)
  } else if (ts.isStringLiteral(node) && isValue(node) && isNoMessage(node)) {
    add('string', node, "''")
  } else if (node.kind === ts.SyntaxKind.TrueKeyword) {
    add('boolean', node, 'false')
  } else if (node.kind === ts.SyntaxKind.FalseKeyword) {
    add('boolean', node, 'true')
  } else if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
    mutateMethod(node.expression, tree, add)
  } else if (ts.isConditionalExpression(node) && !ts.isExpressionStatement(node.parent)) {
    add('negation', node.condition, `!(${node.condition.getText(tree)})`)
  }
}

function mutateMethod(node: ts.PropertyAccessExpression, tree: ts.SourceFile, add: Add): void {
  const other = methods.get(node.name.text)
  if (other === undefined) return
  const value = node.expression.getText(tree)
  const dot = node.questionDotToken === undefined ? '' : '?.'
  add(
    'method',
    node,
    `${value}${dot === '' ? '.' : dot}${other}`,
    `${value}${dot}[(${probe}, '${other}')]`,
  )
}

function mutateStatement(node: ts.Node, tree: ts.SourceFile, add: Add): void {
  if (ts.isIfStatement(node)) {
    add('negation', node.expression, `!(${node.expression.getText(tree)})`)
  } else if (isRemovable(node)) {
    add('statement', node, '', `{ ${probe} }`)
  } else if (ts.isBlock(node) && returnsNothing(node.parent) && node.statements.length > 1) {
    const body = node.getText(tree).slice(1)
    add('return', node, `{ return; ${body}`, `{ ${probe}; return; ${body}`)
  }
}

/** Returns whether a literal is a value: not a name, and not an item of a long list of data. */
function isValue(node: ts.StringLiteral | ts.NumericLiteral): boolean {
  const { parent } = node
  if ('name' in parent && parent.name === node) return false
  if (ts.isExportDeclaration(parent) || ts.isExpressionStatement(parent)) return false
  if (ts.isCallExpression(parent) && parent.expression.kind === ts.SyntaxKind.ImportKeyword) {
    return false
  }
  return !ts.isArrayLiteralExpression(parent) || parent.elements.length <= longestList
}

/** Returns whether a text is a word that code compares or sends, not a sentence. */
function isNoMessage(node: ts.StringLiteral): boolean {
  if (node.text === '' || /\s|^behaviour\//.test(node.text)) return false
  const { parent } = node
  if (ts.isCallExpression(parent) && parent.expression.getText() === 'described') return false
  return !(ts.isNewExpression(parent) && /Error$/.test(parent.expression.getText()))
}

/** Returns whether a node is a member in `described`, such as a description. */
function isDescribed(node: ts.Node): boolean {
  return (
    ts.isPropertyAssignment(node) && ts.isIdentifier(node.name) && described.has(node.name.text)
  )
}

/** Returns whether an operand uses `??`, which the language does not mix with `&&` and `||`. */
function mixesWithNullish(node: ts.BinaryExpression): boolean {
  const isNullish = (other: ts.Node) =>
    ts.isBinaryExpression(other) && other.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken
  return isNullish(node.left) || isNullish(node.right)
}

function isRemovable(node: ts.Node): boolean {
  if (ts.isThrowStatement(node) || ts.isContinueStatement(node)) return true
  if (!ts.isExpressionStatement(node)) return false
  const call = node.expression
  const isSuper = ts.isCallExpression(call) && call.expression.kind === ts.SyntaxKind.SuperKeyword
  return !isSuper && !ts.isStringLiteral(call)
}

/** Returns whether a node is a function that ends without a value. */
function returnsNothing(node: ts.Node): boolean {
  const isFunction =
    ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isArrowFunction(node)
  return isFunction && node.asteriskToken === undefined && !returnsValue(node.body)
}

function returnsValue(node: ts.Node | undefined): boolean {
  if (node === undefined || ts.isFunctionLike(node)) return false
  if (ts.isReturnStatement(node) && node.expression !== undefined) return true
  return ts.forEachChild(node, (child) => returnsValue(child) || undefined) ?? false
}
