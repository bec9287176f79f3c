import { type BlockSchema, type BodySchema, bodySchema } from '../../hcl/language/content.ts'
import type { Json, JsonObject } from '../../kernel/json.ts'
import type { ArgumentRule, BlockRule, FixedContents } from './schema.ts'

/** An argument's rule with its name in the table. */
interface NamedRule {
  readonly name: string
  readonly rule: ArgumentRule
}

/** A table made ready for reading: by the names that a file may use, those of the other dialect included. */
export class TableNames {
  /** What a body may hold. */
  readonly schema: BodySchema
  /** The members of an object of which nothing is said; null, and those that are echoed absent. */
  readonly blankObject: Readonly<JsonObject>
  /** Members that are filled when they are not written. */
  readonly defaults: readonly (readonly [member: string, value: Json])[]
  /** The rules of short forms, in the order of the table. */
  readonly shortForms: readonly NamedRule[]
  readonly #arguments: ReadonlyMap<string, NamedRule>
  readonly #blocks: ReadonlyMap<string, BlockRule>
  readonly #assignable: ReadonlySet<string>

  /** Suggestions tell the names of the file's dialect first (behaviour/scheduler#vendor-names). */
  constructor(contents: FixedContents, vendor: boolean) {
    const { shape, arguments: rules, blocks, defaults = {}, later } = contents
    const argumentSpellings = nameSpellings(rules, vendor)
    const blockSpellings = nameSpellings(blocks, vendor)
    this.#arguments = new Map(
      argumentSpellings.map(([name, primary, rule]) => [name, { name: primary, rule }]),
    )
    this.#blocks = new Map(blockSpellings.map(([name, , rule]) => [name, rule]))
    this.#assignable = new Set(
      blockSpellings.flatMap(([name, , rule]) => (rule.assignable ? name : [])),
    )
    this.shortForms = Object.entries(rules).flatMap(([name, rule]) =>
      rule.isShortForm ? { name, rule } : [],
    )
    this.defaults = Object.entries(defaults)
    const alwaysPresent = Object.entries(shape?.fields ?? {}).filter(
      ([, { presence }]) => presence !== 'optional',
    )
    this.blankObject = Object.fromEntries(alwaysPresent.map(([name]) => [name, null]))
    this.schema = bodySchema(
      argumentSpellings.map(([name, , { required }]) => ({ name, ...(required && { required }) })),
      [
        ...blockSpellings.map(([type, , { label }]) => ({
          type,
          labels: label ? [label.name] : [],
          ...(label?.reportedTwice && { reportedTwice: true as const }),
        })),
        DYNAMIC,
      ],
      later,
    )
  }

  argument(name: string): NamedRule | undefined {
    return this.#arguments.get(name)
  }

  block(type: string): BlockRule | undefined {
    return this.#blocks.get(type)
  }

  /** Tells whether a block of that name may be assigned as well. */
  readonly isAssignable = (type: string): boolean => this.#assignable.has(type)
}

/** The names of every table that stands in a table, its own included, by table. */
export function collectNames(root: FixedContents, vendor: boolean): NamesByTable {
  const found = new Map<FixedContents, TableNames>()
  const visit = (contents: FixedContents): void => {
    if (found.has(contents)) return
    found.set(contents, new TableNames(contents, vendor))
    for (const { contents: inner } of Object.values(contents.blocks)) {
      if (!('values' in inner)) visit(inner)
    }
  }
  visit(root)
  return found
}

/** The names of a file's tables, by table. */
export type NamesByTable = ReadonlyMap<FixedContents, TableNames>

/** `dynamic "type" { }` may stand wherever blocks may. */
const DYNAMIC: BlockSchema = { type: 'dynamic', labels: ['type'] }

interface HasVendorName {
  readonly vendor?: string
}

/**
 * Every name with the name and rule of the table: sorted, since the reference suggests the first one
 * that is near, names of the other dialect behind.
 */
function nameSpellings<R extends HasVendorName>(
  rules: Readonly<Record<string, R>>,
  vendor: boolean,
): (readonly [spelled: string, name: string, rule: R])[] {
  const entries = Object.entries(rules)
  const primary = entries.map(
    ([name, rule]) => [vendor ? (rule.vendor ?? name) : name, name, rule] as const,
  )
  const secondary = entries.flatMap(([name, rule]) =>
    rule.vendor === undefined ? [] : [[vendor ? name : rule.vendor, name, rule] as const],
  )
  const sorted = (list: typeof primary) => list.sort(([a], [b]) => (a < b ? -1 : 1))
  return [...sorted(primary), ...sorted(secondary)]
}
