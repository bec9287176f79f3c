import { compareBytewise } from '../../state/json/json.ts'
import { type Said, tell } from '../../state/kernel/wording.ts'
import { fieldDiffShape } from '../../state/scheduler/diff/shapes.ts'
import {
  type Field,
  list,
  type Shape,
  type StructShape,
} from '../../state/scheduler/shape/kinds.ts'
import type { DialectName } from '../http/dialect.ts'
import { vendorNamed } from './vendor-names.ts'
import { vendorTexts } from './vendor-texts.ts'

/** The jobs API's side of a dialect (3b-scheduler-decisions.md section 12). */
export interface SchedulerDialect {
  readonly name: DialectName
  /** Whether callers see the vendor's names. */
  readonly isVendor: boolean
  /** Headers of the API by their names without prefix. */
  headers(values: Readonly<Record<string, string>>): Readonly<Record<string, string>>
  /** A text in the dialect's words. */
  tell(said: Said): string
  /** A value of a shape as it is written. */
  value(shape: Shape, value: unknown): unknown
}

/** What the API's own headers begin with: the neutral spelling, then the vendor's. */
const prefixes = ['X-Sched-', 'X-Nomad-'] as const

/** The spellings of a header that callers may send, in lower case and in order of precedence. */
export function spellingsOf(name: string): readonly string[] {
  return prefixes.map((prefix) => `${prefix}${name}`.toLowerCase())
}

/**
 * A text as headers carry it: its UTF-8 bytes, which Node writes for the characters of Latin-1. What
 * headers cannot carry becomes a blank, as Go's servers do with ends of lines.
 */
function headerValue(text: string): string {
  const bytes = Buffer.from(text, 'utf8').toString('latin1')
  return bytes.replace(/[^\t\x20-\x7e\x80-\xff]/g, ' ')
}

function withPrefix(
  prefix: string,
  values: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [prefix + name, headerValue(value)]),
  )
}

const neutralDialect: SchedulerDialect = {
  name: 'neutral',
  isVendor: false,
  headers: (values) => withPrefix(prefixes[0], values),
  tell,
  value: (_shape, value) => value,
}

const vendorDialect: SchedulerDialect = {
  name: 'vendor',
  isVendor: true,
  headers: (values) => withPrefix(prefixes[1], values),
  tell: (said) => tell(said, vendorTexts),
  value: vendorValue,
}

/** The dialect of a name. */
export function schedulerDialect(name: DialectName): SchedulerDialect {
  return name === 'vendor' ? vendorDialect : neutralDialect
}

/** Objects whose empty members the vendor leaves out (section 12). */
const withoutEmpty: ReadonlySet<string> = new Set(['Evaluation', 'NetworkResource', 'Port'])

function vendorValue(shape: Shape, value: unknown): unknown {
  if (value === null || value === undefined) return value
  switch (shape.kind) {
    case 'pointer':
      return vendorValue(shape.to, value)
    case 'list':
      return Array.isArray(value) ? vendorList(shape.of, value) : value
    case 'map':
      return mapMembers(value, (item) => vendorValue(shape.of, item))
    case 'struct':
      return vendorStruct(shape, value)
    default:
      return value
  }
}

function vendorList(of: Shape, list: readonly unknown[]): unknown[] {
  const written = list.map((item) => vendorValue(of, item))
  // Fields of diffs are in the order of their names, some of which are others now (section 8, Order).
  if (of.kind !== 'struct' || of.name !== 'FieldDiff') return written
  return written.sort((a, b) => compareBytewise(nameOf(a), nameOf(b)))
}

function nameOf(field: unknown): string {
  return typeof field === 'object' && field !== null ? String(Reflect.get(field, 'Name')) : ''
}

function vendorStruct(shape: StructShape, object: unknown): unknown {
  if (typeof object !== 'object' || object === null) return object
  const written: [string, unknown][] = []
  for (const [name, member] of Object.entries(object)) {
    const field: Field | undefined = shape.fields[name]
    if (withoutEmpty.has(shape.name) && isEmpty(member)) continue
    const value = vendorNamed(shape.name, name, member)
    const of = isReferring(shape, object) && name === 'Fields' ? referringFields : field?.shape
    written.push([field?.vendor ?? name, of === undefined ? value : vendorValue(of, value)])
  }
  return Object.fromEntries(written)
}

/** Fields of objects of diffs that say what constraints and affinities do: they may refer to attributes. */
const referringFields = list({ ...fieldDiffShape, name: 'ReferringFieldDiff' })

function isReferring({ name }: StructShape, object: object): boolean {
  return name === 'ObjectDiff' && ['Constraint', 'Affinity'].includes(nameOf(object))
}

function isEmpty(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0
  return value === null || value === '' || value === 0 || value === false
}

function mapMembers(value: unknown, map: (member: unknown) => unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, map(member)]))
}
