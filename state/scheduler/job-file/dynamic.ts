import { bodySchema, missingArgument, readContent } from '../../hcl/language/content.ts'
import { ConversionError, convertValue } from '../../hcl/language/convert.ts'
import { verbatimTextOf } from '../../hcl/language/json-body.ts'
import { childScope, type Scope } from '../../hcl/language/scope.ts'
import { typeName } from '../../hcl/language/types.ts'
import { type HclMapping, type HclValue, isMapping, isSequence } from '../../hcl/language/values.ts'
import type { Block, Expression, Label } from '../../hcl/syntax/ast.ts'
import { compareBytewise } from '../../json/json.ts'
import { valueStart } from './argument-values.ts'
import type { JobFileReader } from './reader.ts'
import type { ScopedBlock } from './schema.ts'

const FOR_EACH = { name: 'for_each', required: true } as const
const ITERATOR = { name: 'iterator' } as const
const CONTENT = [{ type: 'content', labels: [] }]

/** Schema of a `dynamic` block that generates blocks without labels. */
const unlabelledSchema = bodySchema([FOR_EACH, ITERATOR], CONTENT)
/** Schema of a `dynamic` block that generates blocks with a fixed number of labels. */
const labelledSchema = bodySchema([FOR_EACH, ITERATOR, { name: 'labels', required: true }], CONTENT)
/** Schema of a `dynamic` block that generates blocks with any number of labels. */
const anyLabelsSchema = bodySchema([FOR_EACH, ITERATOR, { name: 'labels' }], CONTENT)

/**
 * Expands `dynamic "type" { for_each, iterator, labels, content {} }` to the generated blocks, each
 * with the iterator in scope (behaviour/scheduler#job-file-language). For an invalid `dynamic`
 * block, reports problems and returns no blocks; if only the labels of some blocks are invalid,
 * leaves out these blocks.
 *
 * @param labelCount number of labels of the generated blocks; undefined for any number
 */
export function expandDynamic(
  reader: JobFileReader,
  block: Block,
  labelCount: number | undefined,
  scope: Scope,
): ScopedBlock[] {
  const type = block.labels[0]?.value ?? ''
  const schema =
    labelCount === undefined
      ? anyLabelsSchema
      : labelCount === 0
        ? unlabelledSchema
        : labelledSchema
  const content = readContent(block.body, schema)
  for (const problem of content.problems) reader.report(problem)
  const forEach = content.attributes.get('for_each')
  if (content.problems.length > 0 || forEach === undefined) return []
  const iterator = content.attributes.get('iterator')
  const name = iterator === undefined ? type : iteratorName(reader, iterator.expression)
  if (name === undefined) return []
  const elements = elementsOf(reader, forEach.expression, scope)
  if (elements === undefined) return []
  const labelsAttribute = content.attributes.get('labels')
  const labels =
    labelsAttribute === undefined
      ? []
      : labelExpressions(reader, labelsAttribute.expression, type, labelCount)
  if (labels === undefined) return []
  const [contentBlock, unexpected] = content.blocks
  if (contentBlock === undefined) {
    reader.report({
      ...missingArgument('content', block.body),
      summary: 'Missing dynamic content block',
      detail:
        'A dynamic block must have a nested block of type "content" to describe the body of each generated block.',
    })
    return []
  }
  if (unexpected !== undefined) {
    reader.report({
      summary: 'Extraneous dynamic content block',
      detail: 'Only one nested content block is allowed for each dynamic block.',
      range: unexpected.range,
    })
    return []
  }
  const blocks: ScopedBlock[] = []
  for (const [key, value] of elements) {
    const entries = new Map([
      ['key', key],
      ['value', value],
    ])
    const iterationScope = childScope(scope, [[name, { kind: 'object', entries }]])
    reader.chargeBlock(iterationScope, contentBlock.body)
    const evaluatedLabels = evaluateLabels(reader, labels, iterationScope)
    if (evaluatedLabels === undefined) continue
    const { body } = contentBlock
    const typeRange = block.labels[0]?.range ?? block.typeRange
    blocks.push({
      block: { ...block, type, typeRange, labels: evaluatedLabels, body },
      scope: iterationScope,
    })
  }
  return blocks
}

/**
 * Returns the keys and values over which a `dynamic` block iterates, in the order of iteration. For
 * a value that cannot be iterated, reports a problem and returns undefined.
 */
function elementsOf(
  reader: JobFileReader,
  expression: Expression,
  scope: Scope,
): [HclValue, HclValue][] | undefined {
  const value = reader.evaluate(expression, scope)
  if (value === undefined) return undefined
  if (isSequence(value)) {
    return value.items.map((item, index) => [value.kind === 'set' ? item : index, item])
  }
  if (isMapping(value)) return sortedEntries(value)
  reader.report({
    summary: 'Invalid dynamic for_each value',
    detail:
      value === null
        ? 'Cannot use a null value in for_each.'
        : `Cannot use a ${typeName(value)} value in for_each. An iterable collection is required.`,
    range: expression.range,
  })
  return undefined
}

function sortedEntries({ entries }: HclMapping): [HclValue, HclValue][] {
  return [...entries].sort(([a], [b]) => compareBytewise(a, b))
}

function iteratorName(reader: JobFileReader, expression: Expression): string | undefined {
  if (expression.kind === 'variable') return expression.name
  // In JSON syntax, the name of the iterator is a string.
  const verbatim = verbatimTextOf(expression)
  if (verbatim !== undefined && /^[\p{ID_Start}_][\p{ID_Continue}-]*$/u.test(verbatim))
    return verbatim
  reader.report(
    expression.kind === 'traversal' && expression.source.kind === 'variable'
      ? {
          summary: 'Invalid dynamic iterator name',
          detail: 'Dynamic iterator must be a single variable name.',
          range: expression.range,
        }
      : {
          summary: 'Invalid expression',
          detail:
            'A single static variable reference is required: only attribute access and indexing with constant keys. No calculations, function calls, template expressions, etc are allowed here.',
          range: expression.range,
        },
  )
  return undefined
}

function labelExpressions(
  reader: JobFileReader,
  expression: Expression,
  type: string,
  count: number | undefined,
): readonly Expression[] | undefined {
  if (expression.kind !== 'tuple') {
    reader.report({
      summary: 'Invalid expression',
      detail: 'A static list expression is required.',
      range: valueStart(expression),
    })
    return undefined
  }
  const { items } = expression
  if (count === undefined || items.length === count) return items
  const unexpected = items[count]
  reader.report({
    summary:
      unexpected === undefined
        ? 'Insufficient dynamic block labels'
        : 'Extraneous dynamic block label',
    detail: `Blocks of type ${JSON.stringify(type)} require ${count} label(s).`,
    range: unexpected?.range ?? expression.range,
  })
  return undefined
}

function evaluateLabels(
  reader: JobFileReader,
  expressions: readonly Expression[],
  scope: Scope,
): Label[] | undefined {
  const labels: Label[] = []
  for (const expression of expressions) {
    const value = reader.evaluate(expression, scope)
    if (value === undefined) return undefined
    const text = labelText(reader, value, expression)
    if (text === undefined) return undefined
    labels.push({ value: text, range: expression.range })
  }
  return labels
}

function labelText(
  reader: JobFileReader,
  value: HclValue,
  { range }: Expression,
): string | undefined {
  const summary = 'Invalid dynamic block label'
  try {
    const text = convertValue(value, 'string')
    if (typeof text === 'string') return text
    reader.report({
      summary,
      detail: 'Cannot use a null value as a dynamic block label.',
      range,
    })
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error
    reader.report({
      summary,
      detail: `Cannot use this value as a dynamic block label: ${error.message}.`,
      range,
    })
  }
  return undefined
}
