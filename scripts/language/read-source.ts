import ts from '@typescript/typescript6'
import { type Comment, type CommentSubject, findComments, type Span } from './comments.ts'

/** An identifier of a source file. */
export interface Name {
  readonly text: string
  /** Offset of the first character after the name. */
  readonly end: number
  /** `member` for properties and methods, where they are declared and where they are accessed. */
  readonly role: 'member' | 'type' | 'other'
  readonly isDeclared: boolean
}

/** The title of a test or of a group of tests. */
export interface Title {
  readonly text: string
  readonly line: number
}

export interface Source {
  readonly names: readonly Name[]
  readonly comments: readonly Comment[]
  readonly titles: readonly Title[]
  /** Returns the line of an offset, from 1. */
  readonly lineOf: (offset: number) => number
}

const testFunctions: ReadonlySet<string> = new Set(['test', 'it', 'describe'])

/** Returns the names, comments and test titles of a TypeScript file. */
export function readSource(file: string, text: string): Source {
  const tree = ts.createSourceFile(file, text, {
    languageVersion: ts.ScriptTarget.Latest,
    jsDocParsingMode: ts.JSDocParsingMode.ParseNone,
  })
  const lineOf = (offset: number) => tree.getLineAndCharacterOfPosition(offset).line + 1
  const startOf = (node: ts.Node) => node.getStart(tree)
  const names: Name[] = []
  const titles: Title[] = []
  const literals: Span[] = []
  const subjects = new Map<number, CommentSubject>()
  const foreign = importedNames(tree)

  const read = (node: ts.Node, parent: ts.Node): void => {
    if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) {
      const role = roleOf(node, parent)
      if (role !== 'member' && foreign.has(node.text)) return
      const isDeclared = 'name' in parent && parent.name === node
      names.push({ text: node.text, end: node.end, role, isDeclared })
      return
    }
    if (isLiteral(node)) literals.push({ start: startOf(node), end: node.end })
    const subject = subjectOf(node)
    if (subject !== undefined) {
      const start = startOf(node)
      if (!subjects.has(start)) subjects.set(start, subject)
    }
    if (ts.isCallExpression(node)) {
      const title = titleOf(node)
      if (title !== undefined) titles.push({ text: title.text, line: lineOf(startOf(title)) })
    }
    ts.forEachChild(node, (child) => read(child, node))
  }
  ts.forEachChild(tree, (child) => read(child, tree))
  return { names, titles, lineOf, comments: findComments(text, literals, subjects, lineOf) }
}

/**
 * Returns the names that a file imports from packages and from Node without renaming them. Default
 * and namespace imports are left out.
 */
function importedNames(tree: ts.SourceFile): ReadonlySet<string> {
  const found = new Set<string>()
  for (const statement of tree.statements) {
    if (!ts.isImportDeclaration(statement)) continue
    const from = ts.isStringLiteral(statement.moduleSpecifier) ? statement.moduleSpecifier.text : ''
    const bindings = statement.importClause?.namedBindings
    if (from.startsWith('.') || bindings === undefined || !ts.isNamedImports(bindings)) continue
    for (const { name, propertyName } of bindings.elements) {
      if (propertyName === undefined) found.add(name.text)
    }
  }
  return found
}

function roleOf(node: ts.Identifier | ts.PrivateIdentifier, parent: ts.Node): Name['role'] {
  if (
    ts.isTypeAliasDeclaration(parent) ||
    ts.isInterfaceDeclaration(parent) ||
    ts.isTypeReferenceNode(parent) ||
    ts.isTypeParameterDeclaration(parent) ||
    ts.isExpressionWithTypeArguments(parent)
  ) {
    return 'type'
  }
  // The name of a class is also the name of a type.
  if (ts.isClassDeclaration(parent) && parent.name === node) return 'type'
  if (ts.isPropertyAccessExpression(parent) && parent.name === node) return 'member'
  if (ts.isQualifiedName(parent)) return parent.right === node ? 'type' : 'other'
  if (ts.isBindingElement(parent)) return parent.propertyName === node ? 'member' : 'other'
  if (ts.isClassElement(parent) || ts.isTypeElement(parent)) return 'member'
  if (ts.isPropertyAssignment(parent)) return parent.name === node ? 'member' : 'other'
  return 'other'
}

function isLiteral({ kind }: ts.Node): boolean {
  return (
    (kind >= ts.SyntaxKind.StringLiteral && kind <= ts.SyntaxKind.NoSubstitutionTemplateLiteral) ||
    (kind >= ts.SyntaxKind.TemplateHead && kind <= ts.SyntaxKind.TemplateTail)
  )
}

/**
 * Returns the kind of declaration that a docstring in front of a node describes; undefined for
 * other nodes.
 */
function subjectOf(node: ts.Node): CommentSubject | undefined {
  switch (node.kind) {
    case ts.SyntaxKind.FunctionDeclaration:
      return 'function'
    case ts.SyntaxKind.MethodDeclaration:
    case ts.SyntaxKind.MethodSignature:
      return 'method'
    case ts.SyntaxKind.ClassDeclaration:
    case ts.SyntaxKind.InterfaceDeclaration:
    case ts.SyntaxKind.TypeAliasDeclaration:
      return 'type'
    case ts.SyntaxKind.GetAccessor:
    case ts.SyntaxKind.EnumMember:
      return 'value'
  }
  if (ts.isVariableStatement(node)) {
    const value = node.declarationList.declarations[0]?.initializer
    return isFunction(value) ? 'function' : isCall(value) ? 'either' : 'value'
  }
  if (ts.isPropertyAssignment(node) || ts.isPropertyDeclaration(node)) {
    const value = node.initializer
    return isFunction(value) || isCall(value) ? 'either' : 'value'
  }
  if (ts.isPropertySignature(node)) {
    return node.type !== undefined && ts.isFunctionTypeNode(node.type) ? 'either' : 'value'
  }
  return undefined
}

function isCall(node: ts.Node | undefined): boolean {
  return node !== undefined && ts.isCallExpression(node)
}

function isFunction(node: ts.Node | undefined): boolean {
  return node !== undefined && (ts.isArrowFunction(node) || ts.isFunctionExpression(node))
}

/** Returns the title if the node is a call such as `test('…')` or `describe.each([…])('…')`. */
function titleOf(node: ts.CallExpression): ts.StringLiteralLike | undefined {
  const first = node.arguments[0]
  if (first === undefined || !testFunctions.has(rootName(node.expression))) return undefined
  return ts.isStringLiteralLike(first) ? first : undefined
}

/**
 * Returns the identifier at the start of a chain of accesses and calls: `test` for `test.each(…)`;
 * empty for other expressions.
 */
function rootName(node: ts.Expression): string {
  if (ts.isIdentifier(node)) return node.text
  if (ts.isPropertyAccessExpression(node)) return rootName(node.expression)
  if (ts.isCallExpression(node)) return rootName(node.expression)
  if (ts.isTaggedTemplateExpression(node)) return rootName(node.tag)
  return ''
}
