import { type BodyContent, missingArgument, readContent } from '../../hcl/language/content.ts'
import { formatRange, type Range } from '../../hcl/syntax/source.ts'
import { type Json, type JsonObject, setMember } from '../../kernel/json.ts'
import { type ArgumentJson, readArgument } from './argument-values.ts'
import { expandDynamic } from './dynamic.ts'
import { readFreeContents } from './free-form.ts'
import type { JobFileReader } from './reader.ts'
import type { BlockRule, FixedContents, ScopedBlock } from './schema.ts'
import type { TableNames } from './table-names.ts'

/**
 * Reads a block into an object by the rules of `contents`, and reports the problems of the block.
 * Missing members become null, and missing optional members stay absent, unless `contents` has a
 * default.
 *
 * @param verbatim true inside a block that the job stores as written, so that no missing members
 *   are added
 */
export function readFixedContents(
  reader: JobFileReader,
  scopedBlock: ScopedBlock,
  contents: FixedContents,
  verbatim = contents.shape === undefined,
): JsonObject {
  const { block, scope } = scopedBlock
  const { body } = block
  reader.chargeBlock(scope, body)
  const names = reader.namesOf(contents)
  const content = readContent(body, names.schema, names)
  const object: JsonObject = verbatim ? {} : { ...names.blankObject }
  readAssignedBlocks(reader, content, names, scopedBlock, object)
  for (const problem of content.problems) reader.report(problem)
  const blocks = scopedBlocks(reader, content, names, scopedBlock)
  readArguments(reader, content, contents, names, scopedBlock, object)
  if (blocks !== undefined) {
    for (const [rule, found] of blocks) {
      const read = () => readBlocks(reader, rule, found, verbatim, object)
      if (rule.ignoresProblems) reader.ignoreProblems(read)
      else read()
    }
  }
  for (const [member, value] of names.defaults) object[member] ??= value
  contents.postprocess?.(object, {
    label: block.labels[0]?.value ?? '',
    range: block.range,
    missing: (argument) => missingArgument(argument, body),
    valueRange: (argument) => content.attributes.get(argument)?.expression.range,
    report: reader.report,
  })
  return object
}

/** Reads blocks that the file writes as assignments, such as `env = { ... }`. */
function readAssignedBlocks(
  reader: JobFileReader,
  { attributes, blocks }: BodyContent,
  names: TableNames,
  { scope }: ScopedBlock,
  target: JsonObject,
): void {
  for (const [name, argument] of attributes) {
    const rule = names.isAssignable(name) ? names.block(name) : undefined
    if (rule?.member === undefined) continue
    const earlierBlock = blocks.find(({ type }) => type === name)
    if (earlierBlock !== undefined) {
      reader.report({
        summary: `Duplicate ${name} block`,
        detail: `${name} may not be defined more than once. Another definition is defined at ${formatRange(argument.range)}.`,
        range: earlierBlock.range,
      })
      continue
    }
    const value = readArgument(reader, argument, { type: 'map of string' }, undefined, scope)
    if (value !== undefined && value !== null) setMember<ArgumentJson>(target, rule.member, value)
  }
}

/**
 * Returns the blocks of a body grouped by rule, in the order in which their types first occur, or
 * undefined if the body has no blocks. Expands `dynamic` blocks, and reports a problem for a
 * `dynamic` block that generates an unknown type.
 */
function scopedBlocks(
  reader: JobFileReader,
  { blocks }: BodyContent,
  names: TableNames,
  { scope }: ScopedBlock,
): ReadonlyMap<BlockRule, ScopedBlock[]> | undefined {
  if (blocks.length === 0) return undefined
  const byRule = new Map<BlockRule, ScopedBlock[]>()
  const blocksOfRule = (rule: BlockRule): ScopedBlock[] => {
    const found = byRule.get(rule) ?? []
    if (found.length === 0) byRule.set(rule, found)
    return found
  }
  for (const block of blocks) {
    const nativeRule = names.block(block.type)
    if (nativeRule !== undefined) {
      blocksOfRule(nativeRule).push({ block, scope })
      continue
    }
    const [label] = block.labels
    const rule = names.block(label?.value ?? '')
    if (rule !== undefined) {
      const list = blocksOfRule(rule)
      const labels = rule.label === undefined ? 0 : 1
      for (const expanded of expandDynamic(reader, block, labels, scope)) list.push(expanded)
    } else if (label !== undefined) {
      reader.report({
        summary: 'Unsupported block type',
        detail: `Blocks of type ${JSON.stringify(label.value)} are not expected here.`,
        range: label.range,
      })
    }
  }
  return byRule
}

/**
 * Reads the arguments of a block into `target`, in the order of the file. Short forms of
 * constraints, such as `distinct_hosts`, are applied last, in the order of their rules.
 */
function readArguments(
  reader: JobFileReader,
  { attributes }: BodyContent,
  { wording }: FixedContents,
  names: TableNames,
  { scope }: ScopedBlock,
  target: JsonObject,
): void {
  let shortForms: Map<string, ArgumentJson> | undefined
  for (const [name, argument] of attributes) {
    const found = names.argument(name)
    if (found === undefined) continue
    const { rule } = found
    const value = readArgument(reader, argument, rule, wording, scope)
    if (value === undefined || value === null) continue
    if (rule.isShortForm) {
      shortForms ??= new Map()
      shortForms.set(found.name, value)
    } else if (rule.member !== undefined) setMember<ArgumentJson>(target, rule.member, value)
  }
  if (shortForms === undefined) return
  for (const { name, rule } of names.shortForms) {
    const value = shortForms.get(name)
    if (value === undefined || value === '' || rule.member === undefined) continue
    target[rule.member] = String(value)
    target.Operand = name
  }
}

function readBlocks(
  reader: JobFileReader,
  rule: BlockRule,
  found: readonly ScopedBlock[],
  verbatim: boolean,
  target: JsonObject,
): void {
  const [first, second] = found
  if (rule.form === 'object' && first !== undefined && second !== undefined) {
    const { type, range } = second.block
    reader.report({
      summary: `Duplicate ${type} block`,
      detail: rule.isCheckedFirst
        ? duplicateBlockDetail(type, first.block.range)
        : `Only one ${type} block is allowed. Another was defined at ${formatRange(first.block.range)}.`,
      range,
    })
    return
  }
  const blocks = rule.select === undefined ? found : rule.select(found, reader.report)
  if (blocks.length === 0) return
  const values = blocks.map((block) => readBlock(reader, rule, block, verbatim))
  const { member } = rule
  if (member === undefined) return
  if (rule.form === 'map') {
    const byLabel: JsonObject = {}
    blocks.forEach(({ block }, index) => {
      setMember(byLabel, block.labels[0]?.value ?? '', values[index] ?? null)
    })
    target[member] = byLabel
  } else target[member] = rule.form === 'list' ? values : (values[0] ?? null)
}

/**
 * Returns the detail of the message about a duplicate block, for block types that the reference
 * checks separately and reports with a separate message.
 */
export function duplicateBlockDetail(type: string, first: Range): string {
  return `Only one block of type ${JSON.stringify(type)} is allowed. Previous definition was at ${formatRange(first)}.`
}

function readBlock(
  reader: JobFileReader,
  { contents, label }: BlockRule,
  scopedBlock: ScopedBlock,
  verbatim: boolean,
): Json {
  const { block, scope } = scopedBlock
  if ('values' in contents) {
    reader.chargeBlock(scope, block.body)
    return readFreeContents(reader, scopedBlock, contents)
  }
  const object = readFixedContents(
    reader,
    scopedBlock,
    contents,
    verbatim || contents.shape === undefined,
  )
  if (label !== undefined && label.member !== '') {
    object[label.member] = block.labels[0]?.value ?? null
  }
  return object
}
