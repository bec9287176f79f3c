import { type BlockSchema, type BodySchema, bodySchema } from '../../hcl/language/content.ts'
import type { Json, JsonObject } from '../../kernel/json.ts'
import type { ArgumentRule, BlockRule, FixedContents } from './schema.ts'

/** Rule of an argument, and the argument's key in `FixedContents.arguments`. */
interface NamedRule {
  readonly name: string
  readonly rule: ArgumentRule
}

/** Index of a `FixedContents` by the names that files may use, in both dialects. */
export class TableNames {
  readonly schema: BodySchema
  /** Initial members of an object: null for each member that is not optional. */
  readonly blankObject: Readonly<JsonObject>
  readonly defaults: readonly (readonly [member: string, value: Json])[]
  /** Rules of short forms, in the order of `FixedContents`. */
  readonly shortForms: readonly NamedRule[]
  readonly #arguments: ReadonlyMap<string, NamedRule>
  readonly #blocks: ReadonlyMap<string, BlockRule>
  readonly #assignableBlocks: ReadonlySet<string>

  /**
   * @param isVendor true if suggestions prefer names of the vendor dialect
   *   (behaviour/scheduler#vendor-names)
   */
  constructor(contents: FixedContents, isVendor: boolean) {
    const { shape, arguments: rules, blocks, defaults = {}, laterBlockTypes } = contents
    const argumentSpellings = nameSpellings(rules, isVendor)
    const blockSpellings = nameSpellings(blocks, isVendor)
    this.#arguments = new Map(
      argumentSpellings.map(([name, primaryName, rule]) => [name, { name: primaryName, rule }]),
    )
    this.#blocks = new Map(blockSpellings.map(([name, , rule]) => [name, rule]))
    this.#assignableBlocks = new Set(
      blockSpellings.flatMap(([name, , rule]) => (rule.isAssignable ? name : [])),
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
          ...(label?.isReportedTwice && { isReportedTwice: true as const }),
        })),
        DYNAMIC,
      ],
      laterBlockTypes,
    )
  }

  argument(name: string): NamedRule | undefined {
    return this.#arguments.get(name)
  }

  block(type: string): BlockRule | undefined {
    return this.#blocks.get(type)
  }

  /** Returns true if blocks of the type may be written as assignments. */
  readonly isAssignable = (type: string): boolean => this.#assignableBlocks.has(type)
}

/** Indexes the contents of a block and of all blocks nested in it. */
export function collectNames(root: FixedContents, isVendor: boolean): NamesByTable {
  const found = new Map<FixedContents, TableNames>()
  const indexTable = (contents: FixedContents): void => {
    if (found.has(contents)) return
    found.set(contents, new TableNames(contents, isVendor))
    for (const { contents: nestedContents } of Object.values(contents.blocks)) {
      if (!('values' in nestedContents)) indexTable(nestedContents)
    }
  }
  indexTable(root)
  return found
}

export type NamesByTable = ReadonlyMap<FixedContents, TableNames>

/** Schema of `dynamic "type" { }`, which may generate any block. */
const DYNAMIC: BlockSchema = { type: 'dynamic', labels: ['type'] }

interface HasVendorName {
  readonly vendorName?: string
}

/**
 * Returns every accepted name with the key and the value in `rules`. Names are sorted, because the
 * reference suggests the first similar name. Names of the other dialect follow after all names of
 * the caller's dialect.
 */
function nameSpellings<R extends HasVendorName>(
  rules: Readonly<Record<string, R>>,
  isVendor: boolean,
): (readonly [spelled: string, name: string, rule: R])[] {
  const entries = Object.entries(rules)
  const primarySpellings = entries.map(
    ([name, rule]) => [isVendor ? (rule.vendorName ?? name) : name, name, rule] as const,
  )
  const secondarySpellings = entries.flatMap(([name, rule]) =>
    rule.vendorName === undefined ? [] : [[isVendor ? name : rule.vendorName, name, rule] as const],
  )
  const sorted = (list: typeof primarySpellings) => list.sort(([a], [b]) => (a < b ? -1 : 1))
  return [...sorted(primarySpellings), ...sorted(secondarySpellings)]
}
