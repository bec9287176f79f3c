import type { Field, Shape, StructShape } from '../../kernel/shape/kinds.ts'
import {
  type ArgumentRule,
  type ArgumentType,
  type BlockRule,
  type FixedContents,
  singleBlock,
  stringValues,
} from './schema.ts'

/**
 * Derives the contents of a block from the shape of its object. Scalars and lists of strings or
 * 16-bit integers become arguments; maps of strings and objects become blocks. Names are the
 * members' names in snake case, unless the shape sets a name. All other members become blocks only
 * if `options` names them. In general, `options` takes precedence over the shape. Arguments whose
 * values are not pointers in Go refuse null.
 */
export function shapeContents(
  shape: StructShape,
  options: Partial<FixedContents> = {},
): FixedContents {
  // The reference's code for constraints and affinities treats null as missing.
  const acceptsNull = options.wording === 'specification'
  const rules: Record<string, ArgumentRule> = {}
  const blocks: Record<string, BlockRule> = {}
  const named = new Set(Object.values(options.blocks ?? {}).map(({ member }) => member))
  for (const [member, field] of Object.entries(shape.fields)) {
    if (field.file === 'none' || named.has(member)) continue
    const name = field.file?.name ?? toSnakeCase(member)
    const type = argumentType(field.shape)
    const contents = type === undefined ? contentsOf(field.shape) : undefined
    if (type !== undefined) rules[name] = argumentRule(member, field, type, acceptsNull)
    else if (contents !== undefined) blocks[name] = singleBlock(member, contents)
  }
  return {
    ...options,
    shape,
    arguments: { ...rules, ...options.arguments },
    blocks: { ...blocks, ...options.blocks },
  }
}

function argumentRule(
  member: string,
  { goValue, vendor }: Field,
  type: ArgumentType,
  acceptsNull: boolean,
): ArgumentRule {
  return {
    type,
    member,
    ...(goValue && !acceptsNull && { refusesNull: true }),
    ...(vendor !== undefined && { vendorName: toSnakeCase(vendor) }),
  }
}

function argumentType(shape: Shape): ArgumentType | undefined {
  switch (shape.kind) {
    case 'text':
    case 'word':
      return 'string'
    case 'bool':
    case 'duration':
      return shape.kind
    case 'int':
      return shape.bits === 8 ? 'int8' : 'int'
    case 'uint':
      return shape.bits === undefined ? 'uint64' : `uint${shape.bits}`
    case 'nullable':
      return argumentType(shape.to)
    case 'list':
      return listType(argumentType(shape.of))
  }
  return undefined
}

function listType(itemType: ArgumentType | undefined): ArgumentType | undefined {
  if (itemType === 'string') return 'list of string'
  return itemType === 'uint16' ? 'list of uint16' : undefined
}

function contentsOf(shape: Shape): FixedContents | typeof stringValues | undefined {
  switch (shape.kind) {
    case 'nullable':
      return contentsOf(shape.to)
    case 'struct':
      return shapeContents(shape)
    case 'map':
      return argumentType(shape.of) === 'string' ? stringValues : undefined
  }
  return undefined
}

/**
 * Converts the name of a member to the spelling of job files: `GRPCUseTLS` becomes `grpc_use_tls`.
 */
function toSnakeCase(member: string): string {
  return member.replace(/([a-z\d])(?=[A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$1$2_').toLowerCase()
}
