import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Refusal } from '../../../../state/kernel/refusal.ts'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import { putSecret } from '../../../../state/secrets/kv/kv.ts'
import { readPlainSecret } from '../../../../state/secrets/kv/v1.ts'
import { disableMount, enableMount } from '../../../../state/secrets/mounts/changes.ts'
import { type Mount, mountKey, mounts, mountsIn } from '../../../../state/secrets/mounts/mounts.ts'
import {
  childNamespaces,
  deleteNamespace,
  patchNamespace,
  readNamespace,
  writeNamespace,
} from '../../../../state/secrets/namespaces/changes.ts'
import {
  type Namespace,
  namespaces,
  rootNamespace,
} from '../../../../state/secrets/namespaces/namespaces.ts'
import { policies } from '../../../../state/secrets/policies/policies.ts'
import { findToken, tokens } from '../../../../state/secrets/tokens/rows.ts'
import { makeToken } from '../fresh-world.ts'
import { secretsWorld } from '../system-world.ts'

type Metadata = Record<string, string>

type Command =
  | { kind: 'create'; parent: string; name: string; metadata: Metadata }
  | { kind: 'patch'; parent: string; name: string; patch: Record<string, string | null> | null }
  | { kind: 'delete'; parent: string; name: string }
  | { kind: 'mount' | 'unmount'; at: string; name: string }
  | { kind: 'write'; at: string; mount: string; value: string }
  | { kind: 'token'; at: string }

const names = ['a', 'b']
const name = fc.constantFrom(...names)
/** Generates paths up to three levels deep, often of existing namespaces. */
const place = fc
  .array(name, { maxLength: 2 })
  .map((parts) => parts.map((part) => `${part}/`).join(''))
const key = fc.constantFrom('x', 'y')
const value = fc.constantFrom('1', '2')

const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('create' as const),
      parent: place,
      name,
      metadata: fc.dictionary(key, value, { noNullPrototype: true }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('patch' as const),
      parent: place,
      name,
      patch: fc.option(fc.dictionary(key, fc.option(value), { noNullPrototype: true })),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('delete' as const), parent: place, name }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('mount' as const, 'mount' as const, 'unmount' as const),
      at: place,
      name,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('write' as const), at: place, mount: name, value }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('token' as const), at: place }) },
)

/** A namespace in the model; each of its mounts holds one secret. */
interface ModelNamespace {
  metadata: Metadata
  mounts: Map<string, string | null>
  tokens: string[]
}

const fresh = (metadata: Metadata): ModelNamespace => ({ metadata, mounts: new Map(), tokens: [] })

class Model {
  readonly namespaces = new Map<string, ModelNamespace>([['', fresh({})]])
  readonly dead: string[] = []

  /**
   * Applies a command and returns its outcome; the caller handles `token`, since it knows the id.
   */
  act(step: Command): string {
    const at = this.namespaces.get('at' in step ? step.at : step.parent)
    if (at === undefined) return 'nowhere'
    switch (step.kind) {
      case 'create': {
        const path = `${step.parent}${step.name}/`
        const before = this.namespaces.get(path)
        if (before !== undefined) before.metadata = step.metadata
        else if (at.mounts.has(step.name)) return 'conflict'
        else this.namespaces.set(path, fresh(step.metadata))
        return 'done'
      }
      case 'patch': {
        const found = this.namespaces.get(`${step.parent}${step.name}/`)
        if (found === undefined) return 'absent'
        const merged = step.patch === null ? {} : { ...found.metadata, ...step.patch }
        found.metadata = Object.fromEntries(
          Object.entries(merged).filter((entry): entry is [string, string] => entry[1] !== null),
        )
        return 'done'
      }
      case 'delete': {
        const path = `${step.parent}${step.name}/`
        const found = this.namespaces.get(path)
        if (found === undefined) return 'warned'
        if (this.children(path).length > 0) return 'occupied'
        this.dead.push(...found.tokens)
        this.namespaces.delete(path)
        return 'done'
      }
      case 'mount':
        if (at.mounts.has(step.name) || this.namespaces.has(`${step.at}${step.name}/`)) {
          return 'in use'
        }
        at.mounts.set(step.name, null)
        return 'done'
      case 'unmount':
        at.mounts.delete(step.name)
        return 'done'
      case 'write':
        if (!at.mounts.has(step.mount)) return 'not mounted'
        at.mounts.set(step.mount, step.value)
        return 'done'
      case 'token':
        return 'done'
    }
  }

  children(path: string): string[] {
    return names.map((each) => `${each}/`).filter((each) => this.namespaces.has(path + each))
  }
}

/** Returns the namespace at a path, if it exists. */
function at(world: World, path: string): Namespace | undefined {
  return path === '' ? rootNamespace : world.table(namespaces).get(path)
}

/** Applies a command to the world and the model; returns both outcomes, one word each. */
function both(world: World, model: Model, step: Command): [string, string] {
  const expected = model.act(step)
  const namespace = at(world, 'at' in step ? step.at : step.parent)
  if (namespace === undefined) return ['nowhere', expected]
  try {
    return [act(world, model, namespace, step), expected]
  } catch (error) {
    if (error instanceof Refusal) return [normalizeMessage(error.message), expected]
    throw error
  }
}

function act(world: World, model: Model, namespace: Namespace, step: Command): string {
  switch (step.kind) {
    case 'create':
      writeNamespace(world, namespace, step.name, step.metadata)
      return 'done'
    case 'patch':
      patchNamespace(world, namespace, step.name, step.patch)
      return 'done'
    case 'delete':
      return deleteNamespace(world, namespace, step.name).length > 0 ? 'warned' : 'done'
    case 'mount':
      enableMount(world, namespace, {
        path: step.name,
        type: 'kv',
        description: '',
        config: {},
        options: {},
        local: false,
        seal_wrap: false,
        external_entropy_access: false,
      })
      return 'done'
    case 'unmount':
      disableMount(world, namespace, step.name)
      return 'done'
    case 'write': {
      const mount = world.table(mounts).get(mountKey(namespace.id, `${step.mount}/`))
      if (mount === undefined) return 'not mounted'
      putSecret(world, mount, 'k', { v: step.value })
      return 'done'
    }
    case 'token':
      model.namespaces.get(step.at)?.tokens.push(makeToken(world, { namespace }).id)
      return 'done'
  }
}

function normalizeMessage(message: string): string {
  if (message.startsWith('new namespace conflicts')) return 'conflict'
  if (message.startsWith('path is already in use')) return 'in use'
  if (message === 'cannot delete namespace containing child namespaces') return 'occupied'
  return message === 'there is nothing at this path' ? 'absent' : message
}

/** Returns a namespace of the world in the form of the model. */
function seen(world: World, path: string, namespace: Namespace) {
  const own = mountsIn(world, namespace).filter(({ path }) => /^[ab]\/$/.test(path))
  return {
    path: namespace.path,
    metadata: namespace.custom_metadata,
    children: childNamespaces(world, namespace).map(([child, { path: fullPath }]) => [
      child,
      fullPath,
    ]),
    mounts: own.map((mount) => [mount.path, valueIn(world, mount)]),
    read: path === '' ? null : readAsChild(world, path),
  }
}

function valueIn(world: World, mount: Mount): string | null {
  try {
    return String(JSON.parse(readPlainSecret(world, mount, 'k').data).v)
  } catch (error) {
    if (error instanceof Refusal && error.kind === 'absent') return null
    throw error
  }
}

/** Reads a namespace through its parent. */
function readAsChild(world: World, path: string): string {
  const parts = path.split('/').slice(0, -1)
  const parent = at(
    world,
    parts
      .slice(0, -1)
      .map((part) => `${part}/`)
      .join(''),
  )
  if (parent === undefined) throw new Error(`${path} has no parent`)
  return readNamespace(world, parent, parts.at(-1) ?? '').id
}

function compare(world: World, model: Model): void {
  const paths = [...model.namespaces.keys()].sort()
  expect(['', ...Array.from(world.table(namespaces).entries(), ([path]) => path)]).toEqual(paths)
  const ids = new Set(['root'])
  for (const [path, expected] of model.namespaces) {
    const namespace = at(world, path)
    if (namespace === undefined) throw new Error(`${path} is missing`)
    expect(seen(world, path, namespace)).toEqual({
      path,
      metadata: expected.metadata,
      children: model.children(path).map((child) => [child, path + child]),
      mounts: [...expected.mounts].map(([mount, held]) => [`${mount}/`, held]).sort(),
      read: path === '' ? null : namespace.id,
    })
    for (const token of expected.tokens) {
      expect(findToken(world, token)).toMatchObject({ namespace: namespace.id })
      expect(token.endsWith(`.${namespace.id}`)).toBe(path !== '')
    }
    ids.add(namespace.id)
  }
  expect(ids.size).toBe(paths.length)
  for (const token of model.dead) expect(world.table(tokens).has(token)).toBe(false)
  for (const table of [mounts, policies]) {
    const owners = Array.from(
      world.table<{ namespace: string }>(table).rows(),
      (row) => row.namespace,
    )
    expect(owners.filter((id) => !ids.has(id))).toEqual([])
  }
}

describe('behaviour/secrets#namespaces: against a model', () => {
  test('random sequences have equal results', () => {
    fc.assert(
      fc.property(fc.array(command, { minLength: 20, maxLength: 60, size: 'max' }), (steps) => {
        const world = secretsWorld()
        const model = new Model()
        for (const step of steps) {
          const [actual, expected] = both(world, model, step)
          expect([step, actual]).toEqual([step, expected])
        }
        compare(world, model)
      }),
      { numRuns: 150 },
    )
  })
})
