import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Refusal } from '../../../../state/kernel/refusal.ts'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import {
  deleteMetadata,
  listKeys,
  patchMetadata,
  readMetadata,
  writeMetadata,
} from '../../../../state/secrets/kv/v2-metadata.ts'
import {
  changeEngineConfig,
  engineConfig,
  firstVersion,
  kv2Data,
} from '../../../../state/secrets/kv/v2-store.ts'
import {
  deleteLatest,
  deleteVersions,
  destroyVersions,
  patchVersion,
  readVersion,
  undeleteVersions,
  writeVersion,
} from '../../../../state/secrets/kv/v2-versions.ts'
import { kvMount, kvWorld } from './kv-world.ts'
import {
  type Data,
  Kv2Model,
  type MetadataMerge,
  type MetadataSettings,
  ModelRefusal,
  type Settings,
} from './v2-model.ts'

type Command =
  | { kind: 'write' | 'patch'; path: string; data: Data; cas: 'none' | number }
  | { kind: 'delete' | 'undelete' | 'destroy'; path: string; numbers: number[] }
  | { kind: 'delete-latest' | 'delete-metadata'; path: string }
  | { kind: 'metadata'; path: string; change: MetadataSettings }
  | { kind: 'patch-metadata'; path: string; change: MetadataMerge }
  | { kind: 'config'; change: Settings }
  | { kind: 'advance'; by: number }

const mount = kvMount('2')
const paths = ['app', 'a/b', 'a/c', 'a']

const path = fc.constantFrom(...paths)
const scalar = fc.oneof(fc.integer({ min: -9, max: 9 }), fc.constantFrom('x', 'y'))
const member = fc.constantFrom('p', 'q', 'r')
const inner: fc.Arbitrary<Data> = fc.dictionary(member, scalar, { noNullPrototype: true })
const value = fc.oneof(scalar, inner)
const data: fc.Arbitrary<Data> = fc.dictionary(member, value, { noNullPrototype: true })
const withNulls = fc.oneof(
  scalar,
  fc.constant(null),
  fc.dictionary(member, fc.option(scalar), { noNullPrototype: true }),
)
const patch: fc.Arbitrary<Data> = fc.dictionary(member, withNulls, { noNullPrototype: true })
/** Generates no cas, or the current version or a number near it. */
const cas = fc.oneof(
  { weight: 4, arbitrary: fc.constant('none' as const) },
  { weight: 3, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.constantFrom(-1, 1) },
)
const numbers = fc.array(fc.integer({ min: -1, max: 14 }), { minLength: 1, maxLength: 4 })
const texts = fc.dictionary(member, fc.constantFrom('1', '2'), { noNullPrototype: true })
const settings = {
  max_versions: fc.integer({ min: 0, max: 4 }),
  cas_required: fc.boolean(),
}
const someOf: { requiredKeys: []; noNullPrototype: true } = {
  requiredKeys: [],
  noNullPrototype: true,
}
const keyTime = fc.constantFrom(0, 3, 7)

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('write' as const), path, data, cas }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('patch' as const), path, data: patch, cas }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constantFrom('delete' as const, 'undelete' as const, 'destroy' as const),
      path,
      numbers,
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete-latest' as const), path }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete-metadata' as const), path }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('metadata' as const),
      path,
      change: fc.record(
        { ...settings, delete_version_after: keyTime, custom_metadata: texts },
        someOf,
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('patch-metadata' as const),
      path,
      change: fc.record(
        {
          ...settings,
          delete_version_after: keyTime,
          custom_metadata: fc.option(
            fc.dictionary(member, fc.option(fc.constantFrom('1', '2')), { noNullPrototype: true }),
          ),
        },
        someOf,
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('config' as const),
      change: fc.record(
        { ...settings, delete_version_after: fc.constantFrom(-5, 0, 0, 5) },
        someOf,
      ),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('advance' as const),
      by: fc.integer({ min: 0, max: 4000 }),
    }),
  },
)

/** Applies a command to the world; returns its outcome as one word. */
function act(world: World, model: Kv2Model, step: Command): string {
  return outcome(() => {
    switch (step.kind) {
      case 'write':
        writeVersion(world, mount, step.path, step.data, absolute(model, step.path, step.cas))
        return
      case 'patch': {
        const expected = absolute(model, step.path, step.cas)
        const { patched } = patchVersion(world, mount, step.path, step.data, expected)
        if (!patched) throw new ModelRefusal('gone')
        return
      }
      case 'delete':
        return deleteVersions(world, mount, step.path, step.numbers)
      case 'undelete':
        return undeleteVersions(world, mount, step.path, step.numbers)
      case 'destroy':
        return destroyVersions(world, mount, step.path, step.numbers)
      case 'delete-latest':
        return deleteLatest(world, mount, step.path)
      case 'delete-metadata':
        return deleteMetadata(world, mount, step.path)
      case 'metadata':
        writeMetadata(world, mount, step.path, step.change)
        return
      case 'patch-metadata':
        patchMetadata(world, mount, step.path, step.change)
        return
      case 'config':
        return changeEngineConfig(world, mount, step.change)
      case 'advance':
        world.advance(step.by)
    }
  })
}

/** Applies a command to the model; returns its outcome as one word. */
function predict(model: Kv2Model, step: Command): string {
  return outcome(() => {
    switch (step.kind) {
      case 'write':
        return model.write(step.path, step.data, absolute(model, step.path, step.cas))
      case 'patch':
        return model.patch(step.path, step.data, absolute(model, step.path, step.cas))
      case 'delete':
        return model.delete(step.path, step.numbers)
      case 'undelete':
        return model.undelete(step.path, step.numbers)
      case 'destroy':
        return model.destroy(step.path, step.numbers)
      case 'delete-latest':
        return model.delete(step.path, [model.keys.get(step.path)?.current ?? 0])
      case 'delete-metadata':
        model.keys.delete(step.path)
        return
      case 'metadata':
        return model.writeMetadata(step.path, step.change)
      case 'patch-metadata':
        return model.patchMetadata(step.path, step.change)
      case 'config':
        return model.configure(step.change)
      case 'advance':
        model.now += step.by
    }
  })
}

function absolute(model: Kv2Model, at: string, offset: 'none' | number): number | undefined {
  return offset === 'none' ? undefined : (model.keys.get(at)?.current ?? 0) + offset
}

const words: Readonly<Record<string, string>> = {
  'there is nothing at this path': 'absent',
  'check-and-set parameter required for this call': 'required',
  'check-and-set parameter did not match the current version': 'mismatch',
}

function outcome(work: () => void): string {
  try {
    work()
    return 'done'
  } catch (error) {
    if (error instanceof ModelRefusal) return error.message
    if (error instanceof Refusal) return words[error.message] ?? error.message
    throw error
  }
}

/** Reads all data of the engine as plain values. */
function readAll(world: World) {
  const { max_versions, cas_required, delete_version_after } = engineConfig(world, mount)
  return {
    config: { max: max_versions, cas: cas_required, after: delete_version_after },
    lists: ['', 'a/', 'b/'].map((folder) => listed(() => listKeys(world, mount, folder))),
    keys: Object.fromEntries(paths.map((at) => [at, readKey(world, at)])),
    stored: world.table(kv2Data).size,
    due: Array.from(world.agenda.all(), ({ at }) => at),
  }
}

function listed(list: () => string[]): string[] {
  try {
    return list()
  } catch (error) {
    if (error instanceof Refusal && error.kind === 'absent') return []
    throw error
  }
}

function readKey(world: World, at: string) {
  if (outcome(() => readMetadata(world, mount, at)) === 'absent') return 'absent'
  const key = readMetadata(world, mount, at)
  return {
    created: key.created_time,
    updated: key.updated_time,
    current: key.current_version,
    oldest: key.oldest_version,
    max: key.max_versions,
    cas: key.cas_required,
    after: key.delete_version_after,
    custom: key.custom_metadata,
    versions: key.versions.map(({ created_time, deletion_time, destroyed }, position) => ({
      number: firstVersion(key) + position,
      created: created_time,
      deletion: deletion_time,
      destroyed,
    })),
    readings: Array.from({ length: key.current_version + 3 }, (_, number) =>
      readOne(world, at, number - 1),
    ),
  }
}

function readOne(world: World, at: string, wanted: number) {
  try {
    const { number, data: text } = readVersion(world, mount, at, wanted)
    return { number, data: text === null ? null : JSON.parse(text) }
  } catch (error) {
    if (error instanceof Refusal && error.kind === 'absent') return 'absent'
    throw error
  }
}

/** Returns all data of the model in the form of `readAll`. */
function expectAll(model: Kv2Model) {
  const versions = [...model.keys.values()].flatMap((key) => [...key.versions.values()])
  return {
    config: model.config,
    lists: ['', 'a/', 'b/'].map((folder) => model.names(folder)),
    keys: Object.fromEntries(paths.map((at) => [at, expectKey(model, at)])),
    stored: versions.filter(({ destroyed }) => !destroyed).length,
    due: versions
      .flatMap((version) =>
        model.readable(version) && version.deletion !== null ? [version.deletion] : [],
      )
      .sort((a, b) => a - b),
  }
}

function expectKey(model: Kv2Model, at: string) {
  const key = model.keys.get(at)
  if (key === undefined) return 'absent'
  const { versions, custom, ...rest } = key
  return {
    ...rest,
    custom: Object.keys(custom).length === 0 ? null : custom,
    versions: Array.from(versions, ([number, { data: _, ...version }]) => ({ number, ...version })),
    readings: Array.from({ length: key.current + 3 }, (_, position) => {
      const number = position <= 1 ? key.current : position - 1
      const version = versions.get(number)
      if (version === undefined) return 'absent'
      return { number, data: model.readable(version) ? version.data : null }
    }),
  }
}

describe('behaviour/secrets#api-kv2, against a plain model', () => {
  test('all readable data match the model after any operations', {
    timeout: 60_000,
  }, () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 60, size: 'max' }), (steps) => {
        const world = kvWorld()
        const model = new Kv2Model()
        model.now = world.clock.now()
        for (const step of steps) {
          const outcome = act(world, model, step)
          expect(outcome).toBe(predict(model, step))
          expect(readAll(world)).toEqual(expectAll(model))
        }
      }),
      { numRuns: 120 },
    )
  })
})
