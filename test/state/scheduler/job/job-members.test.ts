import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { goType, structName } from '../../../../state/kernel/shape/go-types.ts'
import type { Field, Shape, StructShape } from '../../../../state/kernel/shape/kinds.ts'
import { jobShape } from '../../../../state/scheduler/job/job-shape.ts'

/** A row of the table of the product's members. */
interface MemberRow {
  readonly type: string
  readonly zero: string
  readonly default: string
  readonly stored: string
}

/** Rows by object and member, such as `Job.Region`, in lower case. */
type Rows = Readonly<Record<string, MemberRow>>

const documented: Rows = Object.fromEntries(
  readFileSync(new URL('./job-members.md', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => /^\| [A-Z]\w+ \| [A-Z]\w+ \| `/.test(line))
    .map((line) => {
      const cells = line.split('|').map((cell) => cell.trim().replaceAll('`', ''))
      const [, object = '', member = '', type = '', zero = '', byDefault = '', stored = ''] = cells
      return [nameOf(object, member), { type, zero, default: byDefault, stored }]
    }),
)

/** Returns the key of a member. Letter case does not matter, as in decoders. */
function nameOf(object: string, member: string): string {
  return `${object}.${member}`.toLowerCase()
}

const goNames = { structType: (name: string) => name, elementType: (name: string) => name }

/** Returns the Go type that a field declares, without the pointers of items of lists and maps. */
function typeOf({ shape, goValue }: Field): string {
  const type = goType(shape, goNames, 'vendor').replace('interface {}', 'any')
  if (shape.kind === 'bytes') return '[]byte'
  const isPointer = !goValue && shape.kind !== 'list' && shape.kind !== 'map'
  return isPointer ? `*${type}` : type
}

function storedAs({ presence, isDropped, isOutputOnly }: Field): string {
  if (presence === 'sent') return 'request'
  if (isDropped) return 'dropped'
  return isOutputOnly ? 'server' : 'kept'
}

/** Returns the rows that the shapes declare. */
function declaredRows(): Rows {
  const rows: Record<string, MemberRow> = {}
  const seen = new Set<Shape>()
  const walk = (shape: Shape): void => {
    if (seen.has(shape)) return
    seen.add(shape)
    if (shape.kind === 'nullable') walk(shape.to)
    else if (shape.kind === 'list' || shape.kind === 'map') walk(shape.of)
    else if (shape.kind === 'struct') addMembers(shape)
  }
  const addMembers = (shape: StructShape): void => {
    for (const [name, field] of Object.entries(shape.fields)) {
      rows[nameOf(structName(shape, 'vendor'), field.vendor ?? name)] = rowOf(field)
      walk(field.shape)
    }
  }
  walk(jobShape)
  return rows
}

function rowOf(field: Field): MemberRow {
  const type = field.isOutputOnly ? 'string' : typeOf(field)
  const isValue = !/^(\*|\[\]|map)/.test(type)
  const zeros: Readonly<Record<string, string>> = {
    string: '""',
    CSIPluginType: '""',
    bool: 'false',
  }
  return {
    type,
    zero: isValue ? (zeros[type] ?? '0') : 'null',
    default: defaultOf(field),
    stored: storedAs(field),
  }
}

/** Returns a default in the vendor's words. Lists that are never null have an empty list. */
function defaultOf({ default: usual, shape }: Field): string {
  if (shape.kind === 'list' && !shape.orNull) return '[]'
  if (usual === undefined) return ''
  const translate = shape.kind === 'text' ? shape.translate : undefined
  return JSON.stringify(translate === undefined ? usual : translate(String(usual)))
}

describe('behaviour/scheduler#canonical-form: members of a job in release 1.9.7', () => {
  const declared = declaredRows()

  test('the table has several hundred members', () => {
    expect(Object.keys(documented).length).toBeGreaterThan(300)
  })

  test('the shapes have the members of the table, and no others', () => {
    expect(Object.keys(declared).sort()).toEqual(Object.keys(documented).sort())
  })

  test.each(Object.entries(documented))('%s', (name, row) => {
    const shape = declared[name]
    // Pointers to items of lists and maps are not declared.
    const type = row.type.replace(/\]\*/, ']')
    // Derived defaults are in code; spellings.test.ts and canonical.test.ts test them.
    const byDefault = row.default === 'derived' ? shape?.default : row.default
    expect(shape).toEqual({ ...row, type, default: byDefault })
  })
})
