import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Refusal } from '../../../../state/kernel/refusal.ts'
import { World } from '../../../../state/kernel/worlds/world.ts'
import { indexOf } from '../../../../state/mesh/indexes.ts'
import { keysWithPrefix } from '../../../../state/mesh/kv/keys.ts'
import { putKey } from '../../../../state/mesh/kv/writes.ts'
import { deleteNamespace, putNamespace } from '../../../../state/mesh/namespaces/changes.ts'
import { allNamespaces, namespaceDataKind } from '../../../../state/mesh/namespaces/namespaces.ts'
import { namespaceTransition } from '../../../../state/mesh/namespaces/removal.ts'
import { meshService } from '../../../../state/mesh/service.ts'
import { start } from '../../../support/kernel.ts'

/** The expected state of a namespace. */
interface Expected {
  name: string
  description: string
  created: number
  modified: number
  /** Instant at which the namespace was marked. */
  deletedAt: number | null
  /** Instant of the removal; null if the namespace is held or not marked. */
  removalAt: number | null
  keys: Map<string, string>
}

/**
 * A direct model of namespaces as behaviour/mesh#namespace, behaviour/mesh#namespace-writes and
 * behaviour/mesh#removal specify them.
 */
class Model {
  readonly namespaces = new Map<string, Expected>()
  now = start
  index = 6
  touched = 6

  constructor() {
    this.namespaces.set('default', {
      name: 'default',
      description: 'Builtin Default Namespace',
      created: 6,
      modified: 6,
      deletedAt: null,
      removalAt: null,
      keys: new Map(),
    })
  }

  put(name: string, description: string): boolean {
    const before = this.namespaces.get(name.toLowerCase())
    if (before !== undefined && before.deletedAt !== null) return false
    this.#touch()
    this.namespaces.set(name.toLowerCase(), {
      name: before?.name ?? name,
      description,
      created: before?.created ?? this.index,
      modified: this.index,
      deletedAt: null,
      removalAt: null,
      keys: before?.keys ?? new Map(),
    })
    return true
  }

  delete(name: string): boolean {
    const namespace = this.namespaces.get(name.toLowerCase())
    if (namespace === undefined || namespace.name === 'default') return false
    if (namespace.deletedAt !== null) return true
    this.#touch()
    namespace.modified = this.index
    namespace.deletedAt = this.now
    namespace.removalAt = this.now + 500
    return true
  }

  putKey(name: string, key: string, value: string): boolean {
    const namespace = this.namespaces.get(name.toLowerCase())
    if (namespace === undefined || namespace.deletedAt !== null) return false
    if (namespace.keys.get(key) !== value) this.index += 1
    namespace.keys.set(key, value)
    return true
  }

  hold(name: string): boolean {
    const namespace = this.namespaces.get(name.toLowerCase())
    if (namespace === undefined || namespace.removalAt === null) return false
    namespace.removalAt = null
    return true
  }

  release(name: string): boolean {
    const namespace = this.namespaces.get(name.toLowerCase())
    if (namespace === undefined || namespace.deletedAt === null) return false
    namespace.removalAt = this.now
    this.advance(0)
    return true
  }

  advance(by: number): void {
    this.now += by
    const due = [...this.namespaces.entries()]
      .flatMap(([key, { removalAt, keys }]) =>
        removalAt === null ? [] : [{ key, goesAt: removalAt, keys }],
      )
      .filter(({ goesAt: removalAt }) => removalAt <= this.now)
      .sort((a, b) => a.goesAt - b.goesAt)
    for (const { key, keys } of due) {
      if (keys.size > 0) this.index += 1
      this.#touch()
      this.namespaces.delete(key)
    }
  }

  #touch(): void {
    this.index += 1
    this.touched = this.index
  }
}

type Step =
  | { readonly do: 'put'; readonly name: string; readonly text: string }
  | { readonly do: 'delete' | 'hold' | 'release'; readonly name: string }
  | { readonly do: 'key'; readonly name: string; readonly key: string; readonly text: string }
  | { readonly do: 'advance'; readonly by: number }

const name = fc.constantFrom('a', 'A', 'b', 'B', 'team-1', 'default', 'Default')
const text = fc.constantFrom('', 'one', 'two')
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('put'), name, text }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('delete'), name }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('hold', 'release'), name }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('key'), name, key: fc.constantFrom('x', 'y/z'), text }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('advance'),
      by: fc.constantFrom(0, 1, 100, 400, 499, 500, 5000),
    }),
  },
) as fc.Arbitrary<Step>

/** Returns whether the action succeeded; false if it was refused. */
function attempt(act: () => unknown): boolean {
  try {
    act()
    return true
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}

function onWorld(world: World, step: Step): boolean {
  switch (step.do) {
    case 'put':
      return attempt(() =>
        putNamespace(world, { name: step.name, description: step.text, acls: null, meta: {} }),
      )
    case 'delete':
      return attempt(() => deleteNamespace(world, step.name))
    case 'hold':
      return attempt(() => namespaceTransition.force(world, step.name, 'held', {}))
    case 'release':
      return attempt(() => {
        namespaceTransition.force(world, step.name, 'removed', {})
        world.runDueJobs()
      })
    case 'key':
      return attempt(() =>
        putKey(world, step.name, step.key, { value: Buffer.from(step.text), flags: 0 }),
      )
    case 'advance':
      return attempt(() => world.advance(step.by))
  }
}

function onModel(model: Model, step: Step): boolean {
  switch (step.do) {
    case 'put':
      return model.put(step.name, step.text)
    case 'delete':
      return model.delete(step.name)
    case 'hold':
      return model.hold(step.name)
    case 'release':
      return model.release(step.name)
    case 'key':
      return model.putKey(step.name, step.key, step.text)
    case 'advance':
      model.advance(step.by)
      return true
  }
}

function observed(world: World) {
  return {
    index: world.store.index('mesh'),
    touched: indexOf(world, namespaceDataKind),
    namespaces: allNamespaces(world).map((namespace) => ({
      name: namespace.name,
      description: namespace.description,
      created: namespace.create_index,
      modified: namespace.modify_index,
      deletedAt: namespace.deleted_at,
      keys: keysWithPrefix(world, namespace.name, '').map(({ key, value }) => [
        key,
        Buffer.from(value, 'base64').toString(),
      ]),
    })),
    states: namespaceTransition.items(world).map(({ id, state }) => [id, state]),
  }
}

function expected({ index, touched, namespaces }: Model) {
  const sorted = [...namespaces.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  return {
    index,
    touched,
    namespaces: sorted.map(({ removalAt: _, keys, ...rest }) => ({
      ...rest,
      keys: [...keys].sort(([a], [b]) => (a < b ? -1 : 1)),
    })),
    states: sorted.map(({ name, deletedAt, removalAt }) => [
      name,
      deletedAt === null ? 'active' : removalAt === null ? 'held' : 'removing',
    ]),
  }
}

describe('any history of namespaces (behaviour/mesh#namespace, behaviour/mesh#namespace-writes, behaviour/mesh#reads and behaviour/mesh#removal)', () => {
  test('creates, updates, deletions, advances, holds and releases behave like the model', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const world = new World({
          id: 'default',
          services: [meshService],
          clock: { mode: 'frozen', at: start },
          freezeRows: true,
          onError: (error) => {
            throw error
          },
        })
        const model = new Model()
        for (const one of steps) {
          expect(onWorld(world, one)).toBe(onModel(model, one))
          expect(observed(world)).toEqual(expected(model))
        }
        // Scheduled jobs run in a fork as they run in the original world.
        const fork = new World({ id: 'fork', services: [meshService], from: world.snapshot() })
        fork.advance(5000)
        world.advance(5000)
        expect(observed(fork)).toEqual(observed(world))
      }),
      { numRuns: 300 },
    )
  })
})
