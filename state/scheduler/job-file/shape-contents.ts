import type { Field, Shape, StructShape } from '../../kernel/shape/kinds.ts'
import {
  type ArgumentRule,
  type ArgumentType,
  type BlockRule,
  type FixedContents,
  singleBlock,
  stringValues,
} from './schema.ts'

/** What a shape does not say of the block that makes it. */
type TableOptions = Partial<FixedContents> & {
  /** None of its arguments takes null, lists excepted. */
  readonly definite?: true
}

/**
 * The contents of a block that makes an object of this shape: scalars and lists of texts are
 * arguments, maps of texts and objects of its own blocks, under the member's name in small letters
 * or what the shape says. Lists of objects, and what has no shape, are blocks only if `beyond` names
 * them; what it names it names for good.
 */
export function shapeContents(
  shape: StructShape,
  { definite, ...options }: TableOptions = {},
): FixedContents {
  const rules: Record<string, ArgumentRule> = {}
  const blocks: Record<string, BlockRule> = {}
  const named = new Set(Object.values(options.blocks ?? {}).map(({ member }) => member))
  for (const [member, field] of Object.entries(shape.fields)) {
    if (field.file === 'none' || named.has(member)) continue
    const name = field.file?.name ?? toSnakeCase(member)
    const type = argumentType(field.shape)
    const contents = type === undefined ? contentsOf(field.shape) : undefined
    if (type !== undefined) rules[name] = argumentRule(member, field, type, definite)
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
  { file, vendor }: Field,
  type: ArgumentType,
  definite: true | undefined,
): ArgumentRule {
  const fileRule = file === 'none' ? undefined : file
  const isDefinite = fileRule?.notNullInFile ?? (type === 'list of string' ? undefined : definite)
  return {
    type,
    member,
    ...(isDefinite && { definite: isDefinite }),
    ...(vendor !== undefined && { vendor: toSnakeCase(vendor) }),
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
      return argumentType(shape.of) === 'string' ? 'list of string' : undefined
  }
  return undefined
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

/** `GRPCUseTLS` as files write it: `grpc_use_tls`. */
function toSnakeCase(member: string): string {
  return member.replace(/([a-z\d])(?=[A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$1$2_').toLowerCase()
}
