import { setMember } from '../json.ts'
import { memoizeByKey } from '../memoize.ts'
import { isObjectOrList } from '../objects.ts'
import { zeroOf } from './fill-defaults.ts'
import type { Field, ListShape, MapShape, Shape, StructShape } from './kinds.ts'
import type { ParsedOf, StoredOf } from './values.ts'

/**
 * Forms of a decoded value, as Go code would hold it:
 * - `plain`: as decoded, where only pointers, lists and maps may be null;
 * - `canonical`: with the defaults that the shape declares;
 * - `stored`: canonical and complete, without the members that only requests have.
 */
type GoForm = 'plain' | 'canonical' | 'stored'

/**
 * Returns a decoded request as Go's encoder would print it: members of non-pointer types have their
 * zero value instead of null.
 */
export function plainForm<const S extends StructShape>(value: ParsedOf<S>, shape: S): ParsedOf<S> {
  return converters.plain(shape)(value) as ParsedOf<S>
}

/**
 * Returns a decoded request with the defaults that the shape declares. Members that have neither a
 * default nor a Go zero value stay null; a list or map that cannot be null becomes empty. Empty Go
 * lists and maps become null.
 */
export function canonicalForm<const S extends StructShape>(
  value: ParsedOf<S>,
  shape: S,
): ParsedOf<S> {
  return converters.canonical(shape)(value) as ParsedOf<S>
}

/**
 * Returns a decoded request in the form that is stored. Optional members that were not sent are
 * added as well: they are optional only because older rows may lack them.
 */
export function storedForm<const S extends StructShape>(value: ParsedOf<S>, shape: S): StoredOf<S> {
  return converters.stored(shape)(value) as StoredOf<S>
}

/** Conversion of a decoded value of one shape to one form. */
type Converter = (value: unknown) => unknown
type ConverterFor = (shape: Shape) => Converter

const converters: Readonly<Record<GoForm, ConverterFor>> = {
  plain: memoizeByKey((shape: Shape) => createConverter(shape, 'plain')),
  canonical: memoizeByKey((shape: Shape) => createConverter(shape, 'canonical')),
  stored: memoizeByKey((shape: Shape) => createConverter(shape, 'stored')),
}

function createConverter(shape: Shape, form: GoForm): Converter {
  switch (shape.kind) {
    case 'nullable': {
      const inner = converters[form](shape.to)
      return (value) => (value === null || value === undefined ? null : inner(value))
    }
    case 'list':
      return listConverter(shape, form)
    case 'map':
      return mapConverter(shape, form)
    case 'struct':
      return structConverter(shape, form)
    case 'any':
    case 'union':
    case 'constant':
      return (value) => value ?? null
    case 'bytes':
      return (value) => (value === '' ? null : (value ?? null))
    default: {
      const missing = form === 'stored' ? zeroOf(shape) : null
      return (value) => value ?? missing
    }
  }
}

function listConverter({ of, orNull }: ListShape, form: GoForm): Converter {
  const item = converters[form](of)
  const empty = form === 'plain' ? undefined : orNull ? null : []
  return (value) => {
    if (!Array.isArray(value)) return empty ?? null
    return value.length === 0 && empty !== undefined ? empty : value.map((each) => item(each))
  }
}

function mapConverter({ of, orNull }: MapShape, form: GoForm): Converter {
  const item = converters[form](of)
  const empty = form === 'plain' ? undefined : orNull ? null : {}
  return (value) => {
    if (!isObjectOrList(value)) return empty ?? null
    const entries = Object.entries(value)
    if (entries.length === 0 && empty !== undefined) return empty
    const map: Record<string, unknown> = {}
    for (const [key, each] of entries) setMember(map, key, item(each))
    return map
  }
}

/** Rule by which a converter treats one member of an object. */
interface MemberRule {
  readonly name: string
  readonly convert: Converter
  /** Value of the member if it was not sent. */
  readonly missing: unknown
  /**
   * Sent value that counts as not sent, in addition to null. If undefined, only null counts as not
   * sent.
   */
  readonly zero: unknown
  readonly isDropped: boolean
}

function structConverter({ fields }: StructShape, form: GoForm): Converter {
  const members = Object.entries<Field>(fields)
    .filter(([, field]) => (form === 'stored' ? field.presence !== 'sent' : !field.isOutputOnly))
    .map(([name, field]) => memberRule(name, field, form))
  return (value) => {
    const input = isObjectOrList(value) ? value : {}
    const struct: Record<string, unknown> = {}
    for (const { name, convert, missing, zero, isDropped } of members) {
      const sent = isDropped ? undefined : input[name]
      const isMissing = sent === null || sent === undefined || sent === zero
      struct[name] = convert(isMissing ? missing : sent)
    }
    return struct
  }
}

function memberRule(name: string, field: Field, form: GoForm): MemberRule {
  const { shape, goValue, default: defaultValue = null } = field
  const zero = goValue && scalarKinds.has(shape.kind) ? zeroOf(shape) : undefined
  return {
    name,
    convert: converters[form](shape),
    missing: (form === 'plain' ? null : defaultValue) ?? zero ?? null,
    zero,
    isDropped: field.isDropped === true && form === 'stored',
  }
}

const scalarKinds: ReadonlySet<Shape['kind']> = new Set<Shape['kind']>([
  ...(['text', 'bool', 'int', 'uint', 'float', 'duration'] as const),
])
