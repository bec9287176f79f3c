import type { Attribute, Block, Body, Expression, Label, ObjectExpression } from '../syntax/ast.ts'
import { type Diagnostic, diagnosticsError } from '../syntax/error.ts'
import type { ParseOptions } from '../syntax/parser.ts'
import { DEFAULT_MAX_LENGTH, type Range, spanOf } from '../syntax/source.ts'
import { firstCharacterOf } from './evaluation.ts'
import { readJsonExpression } from './json-parser.ts'

/** Returns whether a text is in the language's JSON syntax: its first nonblank character is `{`. */
export function isHclJson(text: string): boolean {
  return /^[ \t\r\n]*\{/.test(text)
}

/**
 * Parses the JSON syntax of the language. Every member becomes an attribute whose expression is the
 * value; strings are templates. Only the reader of the body knows whether an object is a value or a
 * block: see `asBlocks`.
 *
 * @throws HclError `<range>: <summary>; <detail>`
 */
export function parseHclJson(text: string, options: ParseOptions = {}): Body {
  const { maxLength = DEFAULT_MAX_LENGTH, file = 'input.hcl' } = options
  if (text.length > maxLength) {
    const detail = `The document is longer than the ${maxLength} characters allowed.`
    throw diagnosticsError({ summary: 'Document too large', detail })
  }
  const value = readJsonExpression(text, { ...options, file })
  if (value.kind === 'object') return bodyOf([value], value.range)
  throw diagnosticsError({
    summary: 'Root value must be object',
    detail:
      'The root value in a JSON-based configuration must be either a JSON object or a JSON array of objects.',
    range: startRangeOf(value),
  })
}

/** Returns one body with the members of all objects, in order. A member named `//` is a comment. */
function bodyOf(objects: readonly ObjectExpression[], range: Range): Body {
  const items = objects.flatMap(membersOf).filter(({ name }) => name !== '//')
  return { items, range, syntax: 'json' }
}

function membersOf({ entries }: ObjectExpression): Attribute[] {
  return entries.map(({ key, value }) => ({
    kind: 'attribute',
    name: verbatimTextOf(key) ?? '',
    nameRange: key.range,
    expression: value,
    range: spanOf(key.range, value.range),
  }))
}

/**
 * Returns the text of a string in the JSON syntax, without evaluating its template sequences.
 * Returns undefined for other expressions.
 */
export function verbatimTextOf(expression: Expression): string | undefined {
  return expression.kind === 'template' || expression.kind === 'template-wrap'
    ? expression.verbatim
    : undefined
}

/**
 * Converts templates to plain text, for arguments in which neither variables nor functions may be
 * used. The strings in tuples and objects are converted as well. Other expressions are returned
 * unchanged.
 */
export function withoutTemplates(expression: Expression): Expression {
  const value = verbatimTextOf(expression)
  if (value !== undefined) return { kind: 'literal', value, range: expression.range }
  if (expression.kind === 'tuple') {
    return { ...expression, items: expression.items.map(withoutTemplates) }
  }
  if (expression.kind !== 'object') return expression
  const entries = expression.entries.map(({ key, value }) => ({
    key: withoutTemplates(key),
    value: withoutTemplates(value),
  }))
  return { ...expression, entries }
}

/**
 * Returns the blocks that a member of a JSON body stands for, if the schema says that the member is
 * a block. For example, `{"group": {"a": {}, "b": [{}, {}]}}` with one label gives `group "a" {}`
 * once and `group "b" {}` twice. A list of objects stands for its objects. Null stands for no
 * block, except that null in a list of blocks stands for an empty block.
 *
 * @param labelNames names of the block's labels in messages
 */
export function asBlocks(
  { name, nameRange, expression }: Attribute,
  labelNames: readonly string[],
): { readonly blocks: readonly Block[]; readonly problems: readonly Diagnostic[] } {
  const blocks: Block[] = []
  const problems: Diagnostic[] = []
  const reportWrongType = (detail: string, at: Expression): void => {
    problems.push({ summary: 'Incorrect JSON value type', detail, range: startRangeOf(at) })
  }
  const addBlock = (labels: readonly Label[], value: Expression, range: Range): void => {
    const objects = objectsIn(value, (at) =>
      reportWrongType('A JSON object is required here, to define arguments and child blocks.', at),
    )
    const body = bodyOf(objects, value.range)
    blocks.push({ kind: 'block', type: name, typeRange: nameRange, labels, body, range })
  }
  const collectBlocks = (value: Expression, labels: readonly Label[]): void => {
    const labelName = labelNames[labels.length]
    if (labelName !== undefined) {
      const members = readLabeledMembers(value, labelName)
      for (const member of members) {
        collectBlocks(member.expression, [
          ...labels,
          { value: member.name, range: member.nameRange },
        ])
      }
    } else if (value.kind === 'object') {
      addBlock(labels, value, firstCharacterOf(value.range))
    } else if (value.kind === 'tuple') {
      for (const item of value.items) addBlock(labels, item, firstCharacterOf(value.range))
    } else if (!isNull(value)) {
      const what = `representing the contents of one or more ${JSON.stringify(name)} blocks.`
      reportWrongType(`Either a JSON object or a JSON array is required, ${what}`, value)
    }
  }
  const readLabeledMembers = (value: Expression, labelName: string): Attribute[] => {
    const what = `to specify ${labelName} labels for this block.`
    let isSuitable = true
    const objects =
      value.kind === 'object' || value.kind === 'tuple' || isNull(value)
        ? objectsIn(value, (at) => reportWrongType(`A JSON object is required here, ${what}`, at))
        : []
    if (value.kind !== 'object' && value.kind !== 'tuple' && !isNull(value)) {
      isSuitable = false
      reportWrongType(
        `Either a JSON object or JSON array of objects is required here, ${what}`,
        value,
      )
    }
    const members = objects.flatMap(membersOf)
    if (members.length === 0 && isSuitable) {
      const detail = `At least one object property is required, whose name represents the ${name} block's ${labelName}.`
      problems.push({ summary: 'Missing block label', detail, range: startRangeOf(value) })
    }
    return members
  }
  collectBlocks(expression, [])
  return { blocks, problems }
}

function isNull(value: Expression): boolean {
  return value.kind === 'literal' && value.value === null
}

/**
 * Returns an object itself, or the objects of a list. Returns an empty list for null, and calls
 * `refuse` for any other value.
 */
function objectsIn(value: Expression, refuse: (at: Expression) => void): ObjectExpression[] {
  if (value.kind === 'object') return [value]
  if (isNull(value)) return []
  if (value.kind !== 'tuple') {
    refuse(value)
    return []
  }
  const objects: ObjectExpression[] = []
  for (const item of value.items) {
    if (item.kind === 'object') objects.push(item)
    else refuse(item)
  }
  return objects
}

/**
 * Returns the range of the opening bracket of an object or list, or the whole range of another
 * value.
 */
function startRangeOf({ kind, range }: Expression): Range {
  return kind === 'object' || kind === 'tuple' ? firstCharacterOf(range) : range
}
