import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Commit } from '../../../../state/kernel/store/commits.ts'
import { diffSnapshots, type RowDifference } from '../../../../state/kernel/store/diff.ts'
import { snapshotAt } from '../../../../state/kernel/store/history.ts'
import type { StoreSnapshot } from '../../../../state/kernel/store/open-table.ts'
import { Store } from '../../../../state/kernel/store/store.ts'
import type { Row, TableDefinition } from '../../../../state/kernel/store/table.ts'
import { fish, notes, plants } from '../../../support/kernel.ts'

/** Tables under test: two of one service, one of another. */
const definitions: readonly TableDefinition[] = [plants, notes, fish]
const definitionAt = (place: number): TableDefinition => {
  const definition = definitions[place]
  if (definition === undefined) throw new Error(`no table ${place}`)
  return definition
}
const ids = definitions.map(({ service, name }) => `${service}.${name}`)

type Write =
  | { readonly kind: 'put'; readonly table: number; readonly key: string; readonly value: number }
  | { readonly kind: 'delete'; readonly table: number; readonly key: string }
  | { readonly kind: 'deleteAll'; readonly table: number; readonly prefix: string }
  | { readonly kind: 'nested'; readonly writes: readonly Write[]; readonly fails: boolean }

type Step =
  | { readonly kind: 'transact'; readonly writes: readonly Write[]; readonly fails: boolean }
  | { readonly kind: 'snapshot' }
  | { readonly kind: 'moment' }
  | { readonly kind: 'restore'; readonly which: number }
  | { readonly kind: 'fork'; readonly which: number }
  | { readonly kind: 'diff'; readonly from: number; readonly to: number }

const key = fc.constantFrom(
  'a',
  'a/',
  'k/7',
  'k/',
  'a/b',
  'a/b/c',
  'a/b-',
  'a0',
  'b',
  'b/x',
  '__proto__',
  'ü',
  '',
)
const table = fc.nat(definitions.length - 1)

/** Writes of enough rows for the trees behind the tables to have several levels. */
const fill: fc.Arbitrary<Write> = fc
  .tuple(table, fc.nat(1500), fc.nat(3))
  .map(([place, from, value]) => ({
    kind: 'nested',
    fails: false,
    writes: Array.from({ length: 150 }, (_, n) => ({
      kind: 'put',
      table: place,
      key: `k/${from + 2 * n}`,
      value,
    })),
  }))

const { write } = fc.letrec<{ write: Write }>((tie) => ({
  write: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.record({ kind: fc.constant('put' as const), table, key, value: fc.nat(3) }),
    fill,
    fc.record({ kind: fc.constant('delete' as const), table, key }),
    fc.record({ kind: fc.constant('deleteAll' as const), table, prefix: key }),
    fc.record({
      kind: fc.constant('nested' as const),
      writes: fc.array(tie('write'), { maxLength: 4 }),
      fails: fc.boolean(),
    }),
  ),
}))

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('transact' as const),
      writes: fc.array(write, { maxLength: 6 }),
      fails: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('snapshot' as const) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('moment' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restore' as const), which: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fork' as const), which: fc.nat() }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('diff' as const), from: fc.nat(), to: fc.nat() }),
  },
)

type Tables = readonly Map<string, Row>[]

/** Expected content of a store, in plain maps that are copied as a whole. */
interface Model {
  tables: Tables
  indexes: Map<string, number>
  sequence: number
}

const copyTables = (tables: Tables): Tables => tables.map((rows) => new Map(rows))

const copy = (model: Model): Model => ({
  tables: copyTables(model.tables),
  indexes: new Map(model.indexes),
  sequence: model.sequence,
})

const sorted = (rows: Map<string, Row>): [string, Row][] =>
  [...rows].sort(([a], [b]) => (a < b ? -1 : 1))

class Failure extends Error {}

/** A store with its model, and a record of the calls to its followers and watchers. */
class Rig {
  readonly store: Store
  readonly model: Model
  readonly commits: Commit[] = []
  /** Watched keys and prefixes of each table, with the number of calls to each callback. */
  readonly woken = new Map<string, number>()

  constructor(model: Model, snapshot?: StoreSnapshot) {
    this.store = new Store({ freezeRows: true })
    this.model = model
    for (const definition of definitions) this.store.table(definition)
    if (snapshot !== undefined) this.store.restore(snapshot)
    this.store.feed.follow((commit) => this.commits.push(commit))
    for (const id of ids) {
      for (const name of ['a/b', 'a', '']) {
        this.store.watchers.watchKey(id, name, this.#count(`${id} key ${name}`))
        this.store.watchers.watchPrefix(id, name, this.#count(`${id} prefix ${name}`))
      }
    }
  }

  #count(name: string): () => void {
    this.woken.set(name, 0)
    return () => this.woken.set(name, (this.woken.get(name) ?? 0) + 1)
  }

  /** Runs a transaction on store and model, and compares the effects. */
  transact(writes: readonly Write[], fails: boolean): void {
    const before = copy(this.model)
    const touched: {
      table: number
      key: string
      before: Row | undefined
      after: Row | undefined
    }[] = []
    const commitCount = this.commits.length
    const woken = new Map(this.woken)
    const run = () =>
      this.store.transact(() => {
        this.#apply(writes, touched)
        if (fails) throw new Failure()
      })
    if (fails) {
      expect(run).toThrow(Failure)
      this.model.tables = before.tables
      touched.length = 0
    } else run()

    const services = new Set(touched.map((change) => definitions[change.table]?.service ?? ''))
    for (const service of services) {
      this.model.indexes.set(service, (this.model.indexes.get(service) ?? 0) + 1)
    }
    if (touched.length > 0) this.model.sequence += 1

    const commits = this.commits.slice(commitCount)
    expect(commits).toEqual(
      touched.length === 0
        ? []
        : [
            {
              sequence: this.model.sequence,
              indexes: Object.fromEntries(
                [...services].map((name) => [name, this.model.indexes.get(name)]),
              ),
              changes: touched.map((change) =>
                expect.objectContaining({
                  table: ids[change.table],
                  service: definitions[change.table]?.service,
                  key: change.key,
                  before: change.before,
                  after: change.after,
                }),
              ),
              scheduledJobs: [],
            },
          ],
    )
    for (const [name, count] of this.woken) {
      const [id, kind, watched = ''] = name.split(' ')
      const concerned = touched.some(
        (change) =>
          ids[change.table] === id &&
          (kind === 'key' ? change.key === watched : change.key.startsWith(watched)),
      )
      expect([name, count - (woken.get(name) ?? 0)]).toEqual([name, concerned ? 1 : 0])
    }
  }

  #apply(
    writes: readonly Write[],
    touched: { table: number; key: string; before: Row | undefined; after: Row | undefined }[],
  ): void {
    for (const one of writes) {
      if (one.kind === 'nested') {
        const mark = touched.length
        const tables = copyTables(this.model.tables)
        try {
          this.store.transact(() => {
            this.#apply(one.writes, touched)
            if (one.fails) throw new Failure()
          })
        } catch (error) {
          if (!(error instanceof Failure)) throw error
          this.model.tables = tables
          touched.length = mark
        }
        continue
      }
      const opened = this.store.table(definitionAt(one.table))
      const rows = this.model.tables[one.table] ?? new Map<string, Row>()
      const remove = (key: string) => {
        const before = rows.get(key)
        if (before === undefined) return false
        rows.delete(key)
        touched.push({ table: one.table, key, before, after: undefined })
        return true
      }
      if (one.kind === 'put') {
        const after = { value: one.value, nested: { list: [one.value] } }
        touched.push({ table: one.table, key: one.key, before: rows.get(one.key), after })
        rows.set(one.key, after)
        opened.put(one.key, structuredClone(after))
      } else if (one.kind === 'delete') expect(opened.delete(one.key)).toBe(remove(one.key))
      else {
        const keys = sorted(rows).flatMap(([name]) => (name.startsWith(one.prefix) ? [name] : []))
        expect(opened.deleteAll(one.prefix)).toBe(keys.length)
        for (const name of keys) remove(name)
      }
    }
  }

  /** Restores a snapshot. This must wake every watcher and report no commit to followers. */
  restore(snapshot: StoreSnapshot, model: Model): void {
    const commitCount = this.commits.length
    const woken = new Map(this.woken)
    this.store.restore(snapshot)
    Object.assign(this.model, copy(model))
    expect(this.commits.length).toBe(commitCount)
    for (const [name, count] of this.woken) expect(count).toBe((woken.get(name) ?? 0) + 1)
    expect(this.store.feed.since(this.model.sequence)).toEqual([])
  }

  compare(): void {
    for (const [place, definition] of definitions.entries()) {
      const opened = this.store.table(definition)
      const rows = this.model.tables[place] ?? new Map()
      expect([...opened.entries()]).toEqual(sorted(rows))
      expect(opened.size).toBe(rows.size)
      for (const name of ['a', 'b/x', '__proto__', 'nowhere']) {
        expect(opened.get(name)).toEqual(rows.get(name))
        expect(opened.has(name)).toBe(rows.has(name))
      }
    }
    for (const service of ['garden', 'pond']) {
      expect(this.store.index(service)).toBe(this.model.indexes.get(service) ?? 0)
      expect(this.store.nextIndex(service)).toBe(this.store.index(service) + 1)
    }
    expect(this.store.sequence).toBe(this.model.sequence)
    expect(this.store.isInTransaction).toBe(false)
  }
}

/** Returns the difference of two models, without any shortcut. */
function differenceOf(from: Model, to: Model): RowDifference[] {
  const changes: RowDifference[] = []
  for (const [place, id] of ids.entries()) {
    const before = from.tables[place] ?? new Map<string, Row>()
    const after = to.tables[place] ?? new Map<string, Row>()
    for (const name of new Set([...before.keys(), ...after.keys()])) {
      const [left, right] = [before.get(name), after.get(name)]
      if (JSON.stringify(left) === JSON.stringify(right)) continue
      changes.push({
        table: id,
        key: name,
        ...(left === undefined ? {} : { before: left }),
        ...(right === undefined ? {} : { after: right }),
      })
    }
  }
  return changes.sort((a, b) => (a.table + '\0' + a.key < b.table + '\0' + b.key ? -1 : 1))
}

test('behaviour/program#store: any history of transactions, snapshots, checkpoints, restores and forks equals a model of plain maps', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const empty: Model = {
        tables: definitions.map(() => new Map()),
        indexes: new Map(),
        sequence: 0,
      }
      const rigs = [new Rig(empty)]
      const kept: { readonly snapshot: StoreSnapshot; readonly model: Model }[] = []
      for (const one of steps) {
        const rig = rigs.at(-1)
        if (rig === undefined) throw new Error('there is always a store')
        const pick = (which: number) => kept[which % Math.max(kept.length, 1)]
        if (one.kind === 'transact') rig.transact(one.writes, one.fails)
        else if (one.kind === 'snapshot') {
          kept.push({ snapshot: rig.store.snapshot(), model: copy(rig.model) })
        } else if (one.kind === 'moment') {
          const { store } = rig
          const moment = store.checkpoint()
          // The snapshot is created on first use, when the checkpoint is already in the past.
          kept.push({
            model: copy(rig.model),
            get snapshot() {
              return snapshotAt(store, moment)
            },
          })
        } else if (one.kind === 'diff') {
          const [from, to] = [pick(one.from), pick(one.to)]
          if (from === undefined || to === undefined) continue
          expect(diffSnapshots(from.snapshot, to.snapshot)).toEqual(
            differenceOf(from.model, to.model),
          )
        } else {
          const from = pick(one.which)
          if (from === undefined) continue
          if (one.kind === 'restore') rig.restore(from.snapshot, from.model)
          else rigs.push(new Rig(copy(from.model), from.snapshot))
        }
        // Every store is compared, including those that were forked earlier.
        for (const each of rigs) each.compare()
      }
      for (const { snapshot, model } of kept) {
        const revived = new Rig(copy(model), snapshot)
        revived.compare()
      }
    }),
    { numRuns: 150 },
  )
})
