import { type BodyContent, missingArgument, readContent } from '../../hcl/language/content.ts'
import { formatRange } from '../../hcl/syntax/source.ts'
import { type Json, type JsonObject, setMember } from '../../kernel/json.ts'
import { readArgument } from './argument-values.ts'
import type { Decoding } from './decoding.ts'
import { expandDynamic, type ScopedBlock } from './dynamic.ts'
import { readFree } from './free-form.ts'
import type { Names } from './names.ts'
import type { BlockRule, FixedContents } from './schema.ts'

/**
 * Reads a block by its table: arguments and blocks into members of the job. Members that are not
 * written are absent, except for the defaults that the table names.
 */
export function readFixed(
  decoding: Decoding,
  block: ScopedBlock,
  contents: FixedContents,
): JsonObject {
  const { body, scope } = block
  decoding.enter(scope, body)
  const names = decoding.namesOf(contents)
  const content = readContent(body, names.schemaFor(body))
  const object: JsonObject = {}
  readAssigned(decoding, content, names, block, object)
  for (const problem of content.problems) decoding.report(problem)
  const blocks = scopedBlocks(decoding, content, names, block)
  readArguments(decoding, content, contents, names, block, object)
  for (const [rule, found] of blocks) readBlocks(decoding, rule, found, object)
  for (const [member, value] of Object.entries(contents.defaults ?? {})) {
    if ((object[member] ?? null) === null) object[member] = value
  }
  contents.finish?.(object, {
    label: block.labels[0]?.value ?? '',
    range: block.range,
    missing: (argument) => missingArgument(argument, body),
    valueRange: (argument) => content.attributes.get(argument)?.expression.range,
    report: decoding.report,
  })
  return object
}

/** Blocks that are written as `env = { ... }`. */
function readAssigned(
  decoding: Decoding,
  { attributes: given, blocks }: BodyContent,
  names: Names,
  { scope }: ScopedBlock,
  into: JsonObject,
): void {
  for (const [name, argument] of given) {
    const rule = names.assignable(name)
    if (rule?.member === undefined) continue
    const other = blocks.find(({ type }) => type === name)
    if (other !== undefined) {
      decoding.report({
        summary: `Duplicate ${name} block`,
        detail: `${name} may not be defined more than once. Another definition is defined at ${formatRange(argument.range)}.`,
        range: other.range,
      })
      continue
    }
    const value = readArgument(decoding, argument, { type: 'map of string' }, undefined, scope)
    if (value !== undefined) into[rule.member] = value
  }
}

/** The blocks by rule, in the order in which their types first appear. */
function scopedBlocks(
  decoding: Decoding,
  { blocks }: BodyContent,
  names: Names,
  { scope }: ScopedBlock,
): Map<BlockRule, ScopedBlock[]> {
  const byRule = new Map<BlockRule, ScopedBlock[]>()
  const add = (rule: BlockRule, found: readonly ScopedBlock[]): void => {
    const sofar = byRule.get(rule)
    if (sofar === undefined) byRule.set(rule, [...found])
    else for (const one of found) sofar.push(one)
  }
  for (const block of blocks) {
    const own = names.block(block.type)
    if (own !== undefined) {
      add(own, [{ ...block, scope }])
      continue
    }
    const [label] = block.labels
    const rule = names.block(label?.value ?? '')
    if (rule !== undefined) {
      add(rule, expandDynamic(decoding, block, rule.label === undefined ? 0 : 1, scope))
    } else if (label !== undefined) {
      decoding.report({
        summary: 'Unsupported block type',
        detail: `Blocks of type ${JSON.stringify(label.value)} are not expected here.`,
        range: label.range,
      })
    }
  }
  return byRule
}

/** Values are read in the order of the file and set in the order of the table: short forms last. */
function readArguments(
  decoding: Decoding,
  { attributes: given }: BodyContent,
  { wording }: FixedContents,
  names: Names,
  { scope }: ScopedBlock,
  into: JsonObject,
): void {
  const values = new Map<string, Json>()
  for (const [name, argument] of given) {
    const found = names.argument(name)
    if (found === undefined) continue
    const value = readArgument(decoding, argument, found.rule, wording, scope)
    if (value !== undefined && value !== null) values.set(found.name, value)
  }
  for (const [name, { member, short = false }] of names.arguments) {
    const value = values.get(name)
    if (value === undefined || member === undefined) continue
    if (!short) into[member] = value
    else if (value !== '') {
      into[member] = String(value)
      into.Operand = name
    }
  }
}

function readBlocks(
  decoding: Decoding,
  rule: BlockRule,
  found: readonly ScopedBlock[],
  into: JsonObject,
): void {
  const [first, second] = found
  if (rule.as === 'object' && first !== undefined && second !== undefined) {
    decoding.report({
      summary: `Duplicate ${second.type} block`,
      detail: `Only one ${second.type} block is allowed. Another was defined at ${formatRange(first.range)}.`,
      range: second.range,
    })
    return
  }
  const blocks = rule.select === undefined ? found : rule.select(found, decoding.report)
  if (blocks.length === 0) return
  const values = blocks.map((block) => {
    const value = readBlock(decoding, rule, block)
    return [block.labels[0]?.value ?? '', value] as const
  })
  const { member } = rule
  if (member === undefined) return
  if (rule.as === 'map') {
    const byLabel: JsonObject = {}
    for (const [label, value] of values) setMember(byLabel, label, value)
    into[member] = byLabel
  } else if (rule.as === 'list') into[member] = values.map(([, value]) => value)
  else into[member] = values[0]?.[1] ?? null
}

function readBlock(decoding: Decoding, { contents, label }: BlockRule, block: ScopedBlock): Json {
  if ('values' in contents) {
    decoding.enter(block.scope, block.body)
    return readFree(decoding, block, contents)
  }
  const object = readFixed(decoding, block, contents)
  if (label !== undefined && label.member !== '') {
    object[label.member] = block.labels[0]?.value ?? null
  }
  return object
}
