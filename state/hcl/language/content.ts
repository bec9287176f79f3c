import { appendAll } from '../../kernel/lists.ts'
import type { Attribute, Block, Body } from '../syntax/ast.ts'
import type { Diagnostic } from '../syntax/error.ts'
import { formatRange, type Range } from '../syntax/source.ts'
import { nearMiss } from '../syntax/suggestion.ts'
import { firstCharacterOf, lastCharacterOf } from './evaluation.ts'
import { asBlocks } from './json-body.ts'

/**
 * Maximum number of unexpected items that are reported. The search for similar names takes time.
 */
const MAX_UNEXPECTED = 100

/** Attributes and blocks that a body may contain, in the form that `bodySchema` prepares. */
export interface BodySchema {
  readonly attributes: ReadonlyMap<string, AttributeSchema>
  readonly required: readonly AttributeSchema[]
  readonly blocks: ReadonlyMap<string, BlockSchema>
  /** Block types of later versions of the language, for which no similar name is suggested. */
  readonly newerBlocks: readonly string[]
}

/** An argument that a body may contain. */
interface AttributeSchema {
  readonly name: string
  readonly required?: true
}

/** A type of block that a body may contain any number of times. */
export interface BlockSchema {
  readonly type: string
  /** Names of the labels in messages. */
  readonly labels: readonly string[]
  /** Present if a missing label is reported twice: the reference reads such blocks twice. */
  readonly isReportedTwice?: true
}

/**
 * Returns the schema of a body that may contain these arguments and blocks. The order of the
 * arguments and blocks matters: for an unexpected name, a message suggests the first similar name.
 */
export function bodySchema(
  attributes: readonly AttributeSchema[],
  blocks: readonly BlockSchema[],
  newerBlocks: readonly string[] = [],
): BodySchema {
  return {
    attributes: new Map(attributes.map((attribute) => [attribute.name, attribute])),
    required: attributes.filter(({ required }) => required),
    blocks: new Map(blocks.map((block) => [block.type, block])),
    newerBlocks,
  }
}

/** Content of a body: only the attributes and blocks that the schema names. */
export interface BodyContent {
  readonly attributes: ReadonlyMap<string, Attribute>
  /** Blocks in source order. Each block has exactly the labels that its schema names. */
  readonly blocks: readonly Block[]
  readonly problems: readonly Diagnostic[]
}

interface ReadingOptions {
  /** True to ignore items that the schema does not name, instead of reporting them. */
  readonly isPartial?: boolean
  /** Returns whether blocks of a type may also be written as arguments. */
  readonly isAssignable?: (type: string) => boolean
}

/**
 * Divides the items of a native or JSON body into attributes and blocks of a schema. Reports
 * missing and repeated arguments, wrong labels, and items that the schema does not name.
 */
export function readContent(
  body: Body,
  schema: BodySchema,
  { isPartial = false, isAssignable = () => false }: ReadingOptions = {},
): BodyContent {
  const attributes = new Map<string, Attribute>()
  const blocks: Block[] = []
  const problems: Diagnostic[] = []
  const unknownItems: (Attribute | Block)[] = []
  for (const item of body.items) {
    if (item.kind === 'block') {
      const blockSchema = schema.blocks.get(item.type)
      if (blockSchema === undefined) unknownItems.push(item)
      else if (checkLabels(item, blockSchema, problems)) blocks.push(item)
      continue
    }
    if (schema.attributes.has(item.name) || isAssignable(item.name)) {
      addUnlessDuplicate(attributes, item, 'Duplicate argument', problems)
      continue
    }
    const blockSchema = body.syntax === 'json' ? schema.blocks.get(item.name) : undefined
    if (blockSchema === undefined) {
      unknownItems.push(item)
      continue
    }
    const found = asBlocks(item, blockSchema.labels)
    appendAll(blocks, found.blocks)
    appendAll(problems, found.problems)
  }
  if (schema.required.length > 0) {
    const missing = schema.required.filter(({ name }) => !attributes.has(name))
    const found = problems.splice(0)
    appendAll(
      problems,
      missing.map(({ name }) => missingArgument(name, body)),
    )
    appendAll(problems, found)
  }
  if (!isPartial && unknownItems.length > 0) {
    // The reference reports attributes before blocks.
    unknownItems.sort((a, b) => Number(a.kind === 'block') - Number(b.kind === 'block'))
    const reported = unknownItems.slice(0, MAX_UNEXPECTED)
    appendAll(
      problems,
      reported.map((item) => unexpectedItem(item, schema, attributes, body.syntax)),
    )
  }
  return { attributes, blocks, problems }
}

/**
 * Returns the attributes of a body that may contain only attributes, with any names. Reports the
 * first block and repeated names.
 */
export function readAttributes(body: Body): Omit<BodyContent, 'blocks'> {
  const attributes = new Map<string, Attribute>()
  const problems: Diagnostic[] = []
  const block = body.items.find((item) => item.kind === 'block')
  if (block !== undefined) {
    problems.push({
      summary: `Unexpected ${JSON.stringify(block.type)} block`,
      detail: 'Blocks are not allowed here.',
      range: block.typeRange,
    })
  }
  for (const item of body.items) {
    if (item.kind === 'attribute') {
      addUnlessDuplicate(attributes, item, 'Duplicate attribute definition', problems)
    }
  }
  return { attributes, problems }
}

/**
 * Adds an attribute, or reports it if its name is repeated. Only JSON can repeat a name, because
 * the native parser rejects attributes that are set twice.
 */
function addUnlessDuplicate(
  attributes: Map<string, Attribute>,
  attribute: Attribute,
  summary: string,
  problems: Diagnostic[],
): void {
  const { name, nameRange } = attribute
  const earlierAttribute = attributes.get(name)
  if (earlierAttribute === undefined) {
    attributes.set(name, attribute)
    return
  }
  const place = formatRange(earlierAttribute.range)
  problems.push({
    summary,
    detail: `The argument ${JSON.stringify(name)} was already set at ${place}.`,
    range: nameRange,
  })
}

/**
 * Returns the problem `Missing required argument`. The position is the start of a native body or
 * the end of a JSON body.
 */
export function missingArgument(name: string, { range, syntax }: Body): Diagnostic {
  return {
    summary: 'Missing required argument',
    detail: `The argument ${JSON.stringify(name)} is required, but no definition was found.`,
    range: syntax === 'json' ? lastCharacterOf(range) : beforeRange(range),
  }
}

function beforeRange({ file, start }: Range): Range {
  return { file, start, end: start }
}

function checkLabels(
  { type, labels, body }: Block,
  schema: BlockSchema,
  problems: Diagnostic[],
): boolean {
  const names = schema.labels
  if (labels.length === names.length) return true
  const extraLabel = labels[names.length]
  const missingItem = names[labels.length]
  const count = `${names.length} labels (${names.join(', ')})`
  if (extraLabel !== undefined) {
    const detail =
      names.length === 0
        ? `No labels are expected for ${type} blocks.`
        : `Only ${count} are expected for ${type} blocks.`
    problems.push({ summary: `Extraneous label for ${type}`, detail, range: extraLabel.range })
  } else if (missingItem !== undefined) {
    const problem = {
      summary: `Missing ${missingItem} for ${type}`,
      detail: `All ${type} blocks must have ${count}.`,
      range: firstCharacterOf(body.range),
    }
    problems.push(problem)
    if (schema.isReportedTwice) problems.push(problem)
  }
  return false
}

function unexpectedItem(
  item: Attribute | Block,
  schema: BodySchema,
  presentAttributes: ReadonlyMap<string, Attribute>,
  syntax: Body['syntax'],
): Diagnostic {
  const types = [...schema.blocks.keys()]
  const names = [...schema.attributes.keys()]
  const unusedNames = names.filter((name) => !presentAttributes.has(name))
  if (syntax === 'json' && item.kind === 'attribute') {
    const advice = didYouMean(item.name, [...unusedNames, ...types])
    const detail = `No argument or block type is named ${JSON.stringify(item.name)}.${advice}`
    return { summary: 'Extraneous JSON object property', detail, range: item.nameRange }
  }
  if (item.kind === 'attribute')
    return unexpectedArgument(item.name, item.nameRange, unusedNames, types)
  const known = schema.newerBlocks.includes(item.type) ? [] : types
  return unexpectedBlock(item.type, item.typeRange, known, names)
}

function didYouMean(name: string, known: readonly string[]): string {
  const suggestion = nearMiss(name, known)
  return suggestion === undefined ? '' : ` Did you mean ${JSON.stringify(suggestion)}?`
}

function unexpectedArgument(
  name: string,
  range: Range,
  unusedNames: readonly string[],
  types: readonly string[],
): Diagnostic {
  const quoted = JSON.stringify(name)
  const blockHint = types.includes(name) ? ` Did you mean to define a block of type ${quoted}?` : ''
  return {
    summary: 'Unsupported argument',
    detail: `An argument named ${quoted} is not expected here.${didYouMean(name, unusedNames) || blockHint}`,
    range,
  }
}

function unexpectedBlock(
  type: string,
  range: Range,
  types: readonly string[],
  names: readonly string[],
): Diagnostic {
  const quoted = JSON.stringify(type)
  const argumentHint = names.includes(type)
    ? ` Did you mean to define argument ${quoted}? If so, use the equals sign to assign it a value.`
    : ''
  return {
    summary: 'Unsupported block type',
    detail: `Blocks of type ${quoted} are not expected here.${didYouMean(type, types) || argumentHint}`,
    range,
  }
}
