import type { StoreSnapshot } from '../../state/kernel/store/open-table.ts'
import { kernelService, type Row, type TableDefinition } from '../../state/kernel/store/table.ts'
import type { World } from '../../state/kernel/worlds/world.ts'
import { redactAt, redactConfiguredPaths } from '../journal/redact.ts'
import type { CollectedChange } from './collected.ts'
import type { PackedChange } from './packed.ts'
import { patchOf } from './row-patch.ts'
import type { TraceSecrets } from './secrets.ts'
import type { TracedState } from './trace.ts'

/**
 * Formatter of the rows of one world. Fingerprints replace the secrets that tables declare and the
 * values that the option `redact` selects, unless values are kept.
 */
export class RowFormatter {
  readonly #world: World
  readonly #tables: ReadonlyMap<string, TableDefinition>
  readonly #secrets: TraceSecrets

  constructor(world: World, secrets: TraceSecrets) {
    this.#world = world
    this.#tables = new Map(
      world.services.flatMap(({ tables }) => tables.map((table) => [table.id, table])),
    )
    this.#secrets = secrets
  }

  /**
   * Formats a change: a new row, a patch or, if a patch cannot express the change, both versions. A
   * deleted row has neither. The previous version of a patched row follows from the preceding
   * steps.
   */
  change({ table, key: plainKey, before, after }: CollectedChange): PackedChange {
    const key = this.#key(table, plainKey)
    if (after === undefined) return { table, key }
    const patch = before === undefined ? undefined : patchOf(before, after)
    if (patch !== undefined) {
      const { set, ...rest } = patch
      const shown = set === undefined ? undefined : this.#redactRow(table, set)
      return { table, key, patch: { ...(shown === undefined ? {} : { set: shown }), ...rest } }
    }
    return {
      table,
      key,
      ...(before === undefined ? {} : { before: this.#redactRow(table, before) }),
      after: this.#redactRow(table, after),
    }
  }

  /**
   * Formats the rows of the services, and yields after each row. Tables of the kernel, such as
   * those with pending jobs, options and timings, are left out.
   */
  *state({ tables }: StoreSnapshot): Generator<void, TracedState, undefined> {
    const state: Record<string, Record<string, Row>> = {}
    for (const [id, { definition, tree }] of tables) {
      if (definition.service === kernelService) continue
      const rows: [string, Row][] = []
      for (const [key, row] of tree.toArray()) {
        rows.push([this.#key(id, key), this.#redactRow(id, row)])
        yield
      }
      if (rows.length > 0) state[id] = Object.fromEntries(rows)
    }
    return state
  }

  #key(table: string, key: string): string {
    const secrets = this.#tables.get(table)?.secrets ?? 'none'
    return secrets !== 'none' && secrets.key === true
      ? this.#secrets.rememberAndFingerprint(key)
      : key
  }

  /**
   * Redacts a whole row, or an object that contains only the changed members of a row. If values
   * are kept, returns the argument unchanged.
   */
  #redactRow<R extends Row>(table: string, row: R): R {
    const secrets = this.#tables.get(table)?.secrets ?? 'none'
    if (this.#secrets.keepsValues) return row
    const { rememberAndFingerprint } = this.#secrets
    const members = secrets === 'none' ? [] : secrets.members
    // `redactConfigured` and `redactAt` return an object for an object, so the cast is safe.
    return redactConfiguredPaths(
      redactAt(row, members, rememberAndFingerprint),
      this.#world,
      rememberAndFingerprint,
    ) as R
  }
}
