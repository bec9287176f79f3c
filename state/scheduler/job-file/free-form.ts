import { readAttributes } from '../../hcl/language/content.ts'
import { ConversionError, convertValue } from '../../hcl/language/convert.ts'
import { firstCharacterOf } from '../../hcl/language/evaluation.ts'
import type { HclType, HclValue } from '../../hcl/language/values.ts'
import type { Attribute } from '../../hcl/syntax/ast.ts'
import { type Json, type JsonObject, setMember } from '../../kernel/json.ts'
import { readArgument, toJson } from './argument-values.ts'
import { expandDynamic } from './dynamic.ts'
import type { JobFileReader } from './reader.ts'
import type { FreeContents, ScopedBlock } from './schema.ts'

/**
 * Reads a block whose member names the user chooses, such as `env`, `meta`, `header`, a scaling
 * policy or the configuration of a driver. If values may have any type, nested blocks and, in
 * native syntax, object values become lists of objects. Labels become names of nested lists. The
 * returned object is then empty until the reader runs its postponed steps
 * (behaviour/scheduler#job-file-blocks, `config`).
 */
export function readFreeContents(
  reader: JobFileReader,
  block: ScopedBlock,
  { values }: FreeContents,
): JsonObject {
  const object: JsonObject = {}
  if (values === 'any') {
    // As in the reference, the block is read only if the file has no other problems.
    reader.postpone(() => readAnyValues(reader, block, object))
    return object
  }
  const { args, nested } = splitBody(reader, block, true)
  for (const [name, argument] of args) {
    const rule = { type: values, refusesNull: values === 'string' } as const
    const value = readArgument(reader, argument, rule, undefined, block.scope)
    if (value !== undefined) setMember(object, name, value)
  }
  for (const blocks of nested.values()) {
    const [first] = blocks
    if (first === undefined) continue
    reader.report({
      summary: 'Unsuitable value type',
      detail: `Unsuitable value: ${blockConversionError(values)}`,
      range: firstCharacterOf(first.block.body.range),
    })
  }
  return object
}

function readAnyValues(reader: JobFileReader, scopedBlock: ScopedBlock, target: JsonObject): void {
  // In a block whose values may have any type, a nested block named `dynamic` is an ordinary block.
  const { args, nested } = splitBody(reader, scopedBlock, false)
  const isNative = scopedBlock.block.body.syntax !== 'json'
  for (const [name, { expression }] of args) {
    const value = reader.evaluate(expression, scopedBlock.scope)
    if (value === undefined) continue
    const isObject = isNative && expression.kind === 'object'
    setMember(target, name, isObject ? [toJson(value)] : toJson(value))
  }
  for (const [type, blocks] of nested) {
    setMember(
      target,
      type,
      blocks.map((nestedBlock) => blockValue(reader, nestedBlock)),
    )
  }
}

function blockValue(reader: JobFileReader, scopedBlock: ScopedBlock): Json {
  const { block, scope } = scopedBlock
  reader.chargeBlock(scope, block.body)
  const content: JsonObject = {}
  readAnyValues(reader, scopedBlock, content)
  return block.labels.reduceRight<JsonObject>((nestedValue, { value }) => {
    const wrapper: JsonObject = {}
    setMember(wrapper, value, [nestedValue])
    return wrapper
  }, content)
}

/**
 * Separates arguments from blocks, which are grouped by type. If a name is used for both, the
 * blocks take precedence. In JSON syntax, every member is an argument.
 */
function splitBody(
  reader: JobFileReader,
  { block: { body }, scope }: ScopedBlock,
  expandsDynamic: boolean,
): {
  readonly args: ReadonlyMap<string, Attribute>
  readonly nested: ReadonlyMap<string, readonly ScopedBlock[]>
} {
  if (body.syntax === 'json') {
    const { attributes, problems } = readAttributes(body)
    for (const problem of problems) reader.report(problem)
    return { args: attributes, nested: new Map() }
  }
  const args = new Map<string, Attribute>()
  const nested = new Map<string, ScopedBlock[]>()
  const add = (type: string, blocks: readonly ScopedBlock[]): void => {
    const before = nested.get(type)
    if (before === undefined) nested.set(type, [...blocks])
    else for (const block of blocks) before.push(block)
  }
  for (const item of body.items) {
    const [label, ...others] = item.kind === 'block' ? item.labels : []
    if (item.kind === 'attribute') args.set(item.name, item)
    else if (
      expandsDynamic &&
      item.type === 'dynamic' &&
      label !== undefined &&
      others.length === 0
    ) {
      add(label.value, expandDynamic(reader, item, undefined, scope))
    } else add(item.type, [{ block: item, scope }])
  }
  for (const type of nested.keys()) args.delete(type)
  return { args, nested }
}

/** Returns the error for a block where a string or a list of strings is required. */
function blockConversionError(values: Exclude<FreeContents['values'], 'any'>): string {
  const block: HclValue = { kind: 'tuple', items: [{ kind: 'object', entries: new Map() }] }
  const expectedType: HclType = values === 'string' ? 'string' : { kind: 'list', of: 'string' }
  try {
    convertValue(block, expectedType)
  } catch (error) {
    if (error instanceof ConversionError) return error.message
    throw error
  }
  return `${values} required`
}
