import { describe, expect, test } from 'vitest'
import { JsonNumber, type JsonObject } from '../../../../state/kernel/json.ts'
import type { TableDefinition } from '../../../../state/kernel/store/table.ts'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import { deleteKvData, kvTables, putSecret } from '../../../../state/secrets/kv/kv.ts'
import {
  hasPlainSecret,
  listPlainSecrets,
  readPlainSecret,
  writePlainSecret,
} from '../../../../state/secrets/kv/v1.ts'
import { listKeys, readMetadata, writeMetadata } from '../../../../state/secrets/kv/v2-metadata.ts'
import { changeEngineConfig, hasKey } from '../../../../state/secrets/kv/v2-store.ts'
import { upgradeToVersion2 } from '../../../../state/secrets/kv/v2-upgrade.ts'
import {
  deleteLatest,
  destroyVersions,
  readVersion,
  undeleteVersions,
  writeVersion,
} from '../../../../state/secrets/kv/v2-versions.ts'
import { isVersioned } from '../../../../state/secrets/mounts/mounts.ts'
import { kvMount, kvWorld } from './kv-world.ts'

const versioned = kvMount('2')
const plain = kvMount('1')
const uuid = versioned.uuid

/**
 * Counts the rows of the key-value tables and the scheduled jobs: everything that an engine stores.
 */
function countRows(world: World): number {
  const tables: readonly TableDefinition[] = kvTables
  const rows = tables.map((table) => world.table(table).size)
  return rows.reduce((sum, size) => sum + size, [...world.agenda.all()].length)
}

describe('behaviour/secrets#api-kv1', () => {
  test('an empty path is refused', () => {
    const world = kvWorld()

    expect(() => writePlainSecret(world, plain, '', { a: 1 })).toThrow('missing path')
    expect(countRows(world)).toBe(0)
  })

  test("without a ttl the mount's default TTL is returned", () => {
    const world = kvWorld()
    const config = { default_lease_ttl: 3600, max_lease_ttl: 0, force_no_cache: false }
    const tuned = kvMount('1', { config })
    writePlainSecret(world, tuned, 'app', { a: 1 })

    expect(readPlainSecret(world, tuned, 'app')).toEqual({ data: '{"a":1}', ttl: 3600 })
  })

  test('a number as ttl is parsed as its text', () => {
    const world = kvWorld()
    writePlainSecret(world, plain, 'app', { ttl: new JsonNumber('1e1') })

    expect(readPlainSecret(world, plain, 'app')).toEqual({ data: '{"ttl":1e1}', ttl: 2_764_800 })
  })

  test('the existence check finds secrets, not folders', () => {
    const world = kvWorld()
    writePlainSecret(world, plain, 'a/b', { a: 1 })

    expect(hasPlainSecret(world, plain, 'a/b')).toBe(true)
    expect(hasPlainSecret(world, plain, 'a')).toBe(false)
  })
})

describe('behaviour/secrets#api-kv2, keys', () => {
  test('an empty path is refused', () => {
    const world = kvWorld()

    expect(() => writeVersion(world, versioned, '', {})).toThrow('missing path')
    expect(() => writeMetadata(world, versioned, '', { max_versions: 1 })).toThrow('missing path')
    expect(countRows(world)).toBe(0)
  })

  test('the existence check finds keys, with versions or without', () => {
    const world = kvWorld()
    writeVersion(world, versioned, 'a/b', {})
    writeMetadata(world, versioned, 'bare', { max_versions: 1 })

    expect(hasKey(world, versioned, 'a/b')).toBe(true)
    expect(hasKey(world, versioned, 'bare')).toBe(true)
    expect(hasKey(world, versioned, 'a')).toBe(false)
  })

  test('keys with a common prefix or a NUL do not collide', () => {
    const world = kvWorld()
    writeVersion(world, versioned, 'a', { of: 'a' })
    writeVersion(world, versioned, 'a\0', { of: 'a\0' })
    writeVersion(world, versioned, 'a\x001', { of: 'a\x001' })
    destroyVersions(world, versioned, 'a', [1])

    expect(readVersion(world, versioned, 'a\0').data).toBe('{"of":"a\\u0000"}')
    expect(readVersion(world, versioned, 'a\x001').data).toBe('{"of":"a\\u00001"}')
  })

  test('two mounts do not share keys', () => {
    const world = kvWorld()
    const other = kvMount('2', { uuid: '00000000-0000-4000-8000-000000000001', path: 'other/' })
    writeVersion(world, versioned, 'app', { of: 'secret' })
    changeEngineConfig(world, versioned, { cas_required: true })

    expect(() => listKeys(world, other, '')).toThrow('there is nothing at this path')
    expect(writeVersion(world, other, 'app', { of: 'other' }).number).toBe(1)
    expect(readVersion(world, versioned, 'app').data).toBe('{"of":"secret"}')
  })

  test('a refused write changes nothing', () => {
    const world = kvWorld()
    writeVersion(world, versioned, 'app', { a: 1 })
    const sequence = world.store.sequence

    expect(() => writeVersion(world, versioned, 'app', { a: 2 }, 0)).toThrow('check-and-set')

    expect(world.store.sequence).toBe(sequence)
  })

  test('a write touches only the key and one version (behaviour/program#worlds)', () => {
    const world = kvWorld()
    world.store.feed.retain()
    for (let n = 0; n < 9; n++) writeVersion(world, versioned, 'app', { n })
    const sequence = world.store.sequence

    writeVersion(world, versioned, 'app', { n: 9 })

    const changed = world.store.feed.since(sequence)?.flatMap(({ changes }) => changes)
    expect(changed?.map(({ table, key }) => [table, key])).toEqual([
      ['secrets.kv2-data', `${uuid}/app\x0010`],
      ['secrets.kv2-keys', `${uuid}/app`],
    ])
  })
})

describe('behaviour/secrets#delete-version-after on the agenda', () => {
  const job = 'secrets.kv2.delete-version'

  // choice/secrets#delete-version-job
  test('advancing the clock reports the deletion once for each version', () => {
    const world = kvWorld()
    writeMetadata(world, versioned, 'app', { delete_version_after: 10 })
    const begin = world.clock.now()
    writeVersion(world, versioned, 'app', {})
    world.advance(4000)
    writeVersion(world, versioned, 'app', {})

    expect(world.advance(20_000)).toEqual([
      { at: begin + 10_000, kind: job, id: `${uuid}/app@1` },
      { at: begin + 14_000, kind: job, id: `${uuid}/app@2` },
    ])
  })

  test('without the setting, or with it switched off, nothing is scheduled', () => {
    const world = kvWorld()
    writeVersion(world, versioned, 'app', {})
    changeEngineConfig(world, versioned, { delete_version_after: -1 })
    writeMetadata(world, versioned, 'app', { delete_version_after: 10 })
    writeVersion(world, versioned, 'app', {})

    expect(world.agenda.next()).toBe(undefined)
  })

  test('deleting, destroying and removing cancel the job, undeleting reschedules it', () => {
    const world = kvWorld()
    changeEngineConfig(world, versioned, { delete_version_after: 10 })
    const begin = world.clock.now()
    for (const path of ['deleted', 'destroyed', 'removed', 'moved']) {
      writeVersion(world, versioned, path, {})
    }
    world.advance(1000)
    deleteLatest(world, versioned, 'deleted')
    destroyVersions(world, versioned, 'destroyed', [1])
    undeleteVersions(world, versioned, 'moved', [1])
    deleteKvData(world, kvMount('2', { uuid: '00000000-0000-4000-8000-00000000000f' }))

    expect(Array.from(world.agenda.all())).toEqual([
      { at: begin + 10_000, job, id: `${uuid}/removed@1` },
      { at: begin + 11_000, job, id: `${uuid}/moved@1` },
    ])
  })

  test('a fork has its own deletion times', () => {
    const world = kvWorld()
    changeEngineConfig(world, versioned, { delete_version_after: 10 })
    writeVersion(world, versioned, 'app', { a: 1 })
    const snapshot = world.snapshot()
    world.advance(10_000)
    expect(readVersion(world, versioned, 'app').data).toBe(null)

    world.restore(snapshot)

    expect(readVersion(world, versioned, 'app').data).toBe('{"a":1}')
    expect(world.advance(10_000)).toHaveLength(1)
  })
})

describe('putSecret', () => {
  test('writes to mounts of both versions', () => {
    const world = kvWorld()
    expect([isVersioned(plain), isVersioned(versioned)]).toEqual([false, true])
    putSecret(world, plain, 'one', { ttl: '1m' })
    putSecret(world, versioned, 'two', { b: 2, a: 1 })

    expect(readPlainSecret(world, plain, 'one')).toEqual({ data: '{"ttl":"1m"}', ttl: 60 })
    expect(readVersion(world, versioned, 'two').data).toBe('{"a":1,"b":2}')
  })

  // choice/secrets#fixture-secrets
  test('ignores cas_required', () => {
    const world = kvWorld()
    changeEngineConfig(world, versioned, { cas_required: true })
    putSecret(world, versioned, 'app', { n: 1 })
    putSecret(world, versioned, 'app', { n: 2 })

    expect(readMetadata(world, versioned, 'app').current_version).toBe(2)
  })
})

describe('behaviour/secrets#mounts, key-value 1 to 2', () => {
  const data: JsonObject = { z: 1, a: new JsonNumber('1.10') }

  // choice/secrets#upgrade-oldest-version
  test('old data becomes version 1 of each key', () => {
    const world = kvWorld()
    putSecret(world, plain, 'app', data)
    putSecret(world, plain, 'folder/app', { b: 1 })
    world.advance(5000)
    const now = world.clock.now()

    upgradeToVersion2(world, versioned)

    expect(listKeys(world, versioned, '')).toEqual(['app', 'folder/'])
    expect(readVersion(world, versioned, 'app').data).toBe('{"a":1.10,"z":1}')
    expect(readMetadata(world, versioned, 'app')).toEqual({
      created_time: now,
      updated_time: now,
      current_version: 1,
      oldest_version: 1,
      max_versions: 0,
      cas_required: false,
      delete_version_after: 0,
      custom_metadata: null,
      versions: [{ created_time: now, deletion_time: null, destroyed: false }],
      wal: world.store.index('secrets'),
    })
    expect(() => listPlainSecrets(world, plain, '')).toThrow('there is nothing at this path')
    expect(writeVersion(world, versioned, 'app', {}, 1).number).toBe(2)
  })

  test('a timed upgrade refuses every operation until it is complete', () => {
    const world = kvWorld()
    putSecret(world, plain, 'app', data)

    upgradeToVersion2(world, versioned, 1000)

    expect(() => readVersion(world, versioned, 'app')).toThrow(
      'Upgrading from non-versioned to versioned data.',
    )
    expect(world.advance(1000)).toEqual([
      { at: world.clock.now(), kind: 'secrets.kv2.finish-upgrade', id: `${uuid}/` },
    ])
    expect(readVersion(world, versioned, 'app').data).toBe('{"a":1.10,"z":1}')
  })
})

describe('behaviour/secrets#mounts', () => {
  test('removing a mount deletes all its data and no other', () => {
    const world = kvWorld()
    const other = kvMount('2', { uuid: '00000000-0000-4000-8000-000000000001', path: 'other/' })
    putSecret(world, other, 'app', { a: 1 })
    const before = countRows(world)
    changeEngineConfig(world, versioned, { delete_version_after: 10, max_versions: 2 })
    for (let n = 0; n < 4; n++) putSecret(world, versioned, 'a/b', { n })
    destroyVersions(world, versioned, 'a/b', [3])
    putSecret(world, plain, 'old', { a: 1 })
    upgradeToVersion2(world, versioned, 1000)
    expect(countRows(world)).toBeGreaterThan(before)

    deleteKvData(world, versioned)

    expect(countRows(world)).toBe(before)
    expect(readVersion(world, other, 'app').data).toBe('{"a":1}')
  })
})
