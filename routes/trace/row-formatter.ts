import type { StoreSnapshot } from '../../state/kernel/store/open-table.ts'
import { kernelService, type Row, type TableDefinition } from '../../state/kernel/store/table.ts'
import type { World } from '../../state/kernel/worlds/world.ts'
import { redactAt, redactConfigured } from '../journal/redact.ts'
import type { CollectedChange } from './collected.ts'
import type { TraceSecrets } from './secrets.ts'
import type { TracedChange, TracedState } from './trace.ts'

/** Formats rows of one world without the secrets that their tables declare. */
export class RowFormatter {
  readonly #world: World
  readonly #tables: ReadonlyMap<string, TableDefinition>
  readonly #secrets: TraceSecrets
  /** A row is usually formatted twice: after a change, and before the next one. */
  readonly #rows = new WeakMap<Row, Row>()

  constructor(world: World, secrets: TraceSecrets) {
    this.#world = world
    this.#tables = new Map(
      world.services.flatMap(({ tables }) => tables.map((table) => [table.id, table])),
    )
    this.#secrets = secrets
  }

  change({ table, key, before, after }: CollectedChange): TracedChange {
    return {
      table,
      key: this.#key(table, key),
      ...(before === undefined ? {} : { before: this.#row(table, before) }),
      ...(after === undefined ? {} : { after: this.#row(table, after) }),
    }
  }

  /** Formats the rows of the services; pending jobs, options and timings are left out. */
  state({ tables }: StoreSnapshot): TracedState {
    const state: Record<string, Record<string, Row>> = {}
    for (const [id, { definition, tree }] of tables) {
      if (definition.service === kernelService) continue
      const rows: [string, Row][] = tree
        .toArray()
        .map(([key, row]) => [this.#key(id, key), this.#row(id, row)])
      if (rows.length > 0) state[id] = Object.fromEntries(rows)
    }
    return state
  }

  #key(table: string, key: string): string {
    const secrets = this.#tables.get(table)?.secrets ?? 'none'
    return secrets !== 'none' && secrets.key === true ? this.#secrets.declared(key) : key
  }

  #row(table: string, row: Row): Row {
    const secrets = this.#tables.get(table)?.secrets ?? 'none'
    if (this.#secrets.keepsValues) return row
    const known = this.#rows.get(row)
    if (known !== undefined) return known
    const { declared } = this.#secrets
    const members = secrets === 'none' ? [] : secrets.members
    // Both functions return an object for an object.
    const formatted = redactConfigured(
      redactAt(row, members, declared),
      this.#world,
      declared,
    ) as Row
    this.#rows.set(row, formatted)
    return formatted
  }
}
