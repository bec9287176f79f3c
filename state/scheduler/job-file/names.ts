import type { BlockSchema, BodySchema } from '../../hcl/language/content.ts'
import type { Body } from '../../hcl/syntax/ast.ts'
import type { ArgumentRule, BlockRule, FixedContents } from './schema.ts'

/** A table by the names that a file may use, those of the other dialect included. */
export class Names {
  /** The rules of arguments in the order of the table, by their first name. */
  readonly arguments: readonly (readonly [name: string, rule: ArgumentRule])[]
  readonly #arguments: ReadonlyMap<string, { readonly name: string; readonly rule: ArgumentRule }>
  readonly #blocks: ReadonlyMap<string, BlockRule>
  readonly #schema: BodySchema

  /** Suggestions tell the names of the file's dialect first (3b-scheduler-decisions.md section 12). */
  constructor({ arguments: rules, blocks }: FixedContents, vendor: boolean) {
    this.arguments = Object.entries(rules)
    const inArguments = spellings(rules, vendor)
    const inBlocks = spellings(blocks, vendor)
    this.#arguments = new Map(inArguments.map(([name, own, rule]) => [name, { name: own, rule }]))
    this.#blocks = new Map(inBlocks.map(([name, , rule]) => [name, rule]))
    this.#schema = {
      attributes: inArguments.map(([name, , { required }]) => ({
        name,
        ...(required && { required }),
      })),
      blocks: [
        ...inBlocks.map(([type, , { label }]) => ({ type, labels: label ? [label.name] : [] })),
        DYNAMIC,
      ],
    }
  }

  /** The rule of an argument, with its name in the table. */
  argument(name: string): { readonly name: string; readonly rule: ArgumentRule } | undefined {
    return this.#arguments.get(name)
  }

  block(type: string): BlockRule | undefined {
    return this.#blocks.get(type)
  }

  /** The block of that name if it may be assigned as well. */
  assignable(name: string): BlockRule | undefined {
    const rule = this.block(name)
    return rule?.assignable ? rule : undefined
  }

  /** Returns what a body may hold; blocks that it assigns are arguments of it. */
  schemaFor({ items }: Body): BodySchema {
    const assigned = items.flatMap((item) =>
      item.kind === 'attribute' && this.assignable(item.name) !== undefined ? [item] : [],
    )
    if (assigned.length === 0) return this.#schema
    const { attributes, blocks } = this.#schema
    return { attributes: [...attributes, ...assigned.map(({ name }) => ({ name }))], blocks }
  }
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
