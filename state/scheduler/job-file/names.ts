import { type BlockSchema, type BodySchema, bodySchema } from '../../hcl/language/content.ts'
import type { Json, JsonObject } from '../../kernel/json.ts'
import type { ArgumentRule, BlockRule, FixedContents } from './schema.ts'

/** An argument's rule with its name in the table. */
interface NamedRule {
  readonly name: string
  readonly rule: ArgumentRule
}

/** A table made ready for reading: by the names that a file may use, those of the other dialect included. */
export class Names {
  /** What a body may hold. */
  readonly schema: BodySchema
  /** The members of an object of which nothing is said; null, and those that are echoed absent. */
  readonly blank: Readonly<JsonObject>
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
    const inArguments = spellings(rules, vendor)
    const inBlocks = spellings(blocks, vendor)
    this.#arguments = new Map(inArguments.map(([name, own, rule]) => [name, { name: own, rule }]))
    this.#blocks = new Map(inBlocks.map(([name, , rule]) => [name, rule]))
    this.#assignable = new Set(inBlocks.flatMap(([name, , rule]) => (rule.assignable ? name : [])))
    this.shortForms = Object.entries(rules).flatMap(([name, rule]) =>
      rule.short ? { name, rule } : [],
    )
    this.defaults = Object.entries(defaults)
    const always = Object.entries(shape?.fields ?? {}).filter(
      ([, { presence }]) => presence !== 'optional',
    )
    this.blank = Object.fromEntries(always.map(([name]) => [name, null]))
    this.schema = bodySchema(
      inArguments.map(([name, , { required }]) => ({ name, ...(required && { required }) })),
      [
        ...inBlocks.map(([type, , { label }]) => ({
          type,
          labels: label ? [label.name] : [],
          ...(label?.soughtTwice && { soughtTwice: true as const }),
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
export function namesBelow(root: FixedContents, vendor: boolean): NamesByTable {
  const found = new Map<FixedContents, Names>()
  const visit = (contents: FixedContents): void => {
    if (found.has(contents)) return
    found.set(contents, new Names(contents, vendor))
    for (const { contents: inner } of Object.values(contents.blocks)) {
      if (!('values' in inner)) visit(inner)
    }
  }
  visit(root)
  return found
}

/** The names of a file's tables, by table. */
export type NamesByTable = ReadonlyMap<FixedContents, Names>

/** `dynamic "type" { }` may stand wherever blocks may. */
const DYNAMIC: BlockSchema = { type: 'dynamic', labels: ['type'] }

interface Renamed {
  readonly vendor?: string
}

/**
 * Every name with the name and rule of the table: sorted, since the reference suggests the first one
 * that is near, names of the other dialect behind.
 */
function spellings<R extends Renamed>(
  rules: Readonly<Record<string, R>>,
  vendor: boolean,
): (readonly [spelled: string, name: string, rule: R])[] {
  const entries = Object.entries(rules)
  const own = entries.map(
    ([name, rule]) => [vendor ? (rule.vendor ?? name) : name, name, rule] as const,
  )
  const other = entries.flatMap(([name, rule]) =>
    rule.vendor === undefined ? [] : [[vendor ? name : rule.vendor, name, rule] as const],
  )
  const sorted = (list: typeof own) => list.sort(([a], [b]) => (a < b ? -1 : 1))
  return [...sorted(own), ...sorted(other)]
}
