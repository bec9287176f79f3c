import { describe, expect, test } from 'vitest'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import {
  archiveVersion,
  receiveUpload,
  versionKind,
  versionMachine,
} from '../../../../state/platform/configuration-versions/configuration-version-machine.ts'
import {
  type ConfigurationVersion,
  createConfigurationVersion,
  versionWithId,
} from '../../../../state/platform/configuration-versions/configuration-versions.ts'
import { contentOf, objects, type StoredObject } from '../../../../state/platform/objects.ts'
import { testRunsOf } from '../../../../state/platform/test-runs/test-runs.ts'
import { firstModule, kindOf, platformWorld, refusalOf, setTiming } from '../platform-world.ts'

const events = [
  'fetch',
  'ingest',
  'fail',
  'archive',
  'soft_delete',
  'restore',
  'permanently_delete',
] as const

const table: Readonly<
  Record<
    ConfigurationVersion['status'],
    Readonly<Partial<Record<(typeof events)[number], ConfigurationVersion['status']>>>
  >
> = {
  pending: { fetch: 'fetching', ingest: 'uploaded', fail: 'errored' },
  fetching: { ingest: 'uploaded', fail: 'errored' },
  uploaded: { archive: 'archived', soft_delete: 'backing_data_soft_deleted' },
  errored: {},
  archived: {},
  backing_data_soft_deleted: {
    restore: 'uploaded',
    permanently_delete: 'backing_data_permanently_deleted',
  },
  backing_data_permanently_deleted: {},
}

const cases = versionMachine.states.flatMap((state) =>
  events.flatMap((event) => [false, true].map((isInUse) => ({ state, event, isInUse }))),
)

function create(world: World): ConfigurationVersion {
  const [user] = ['user-x']
  return createConfigurationVersion(world, firstModule(world), { user, source: 'ent-api' })
}

function uploadTo(world: World, { upload }: ConfigurationVersion): StoredObject {
  const object = world.table(objects).get(upload ?? '')
  if (object === undefined) throw new Error('there is nowhere to upload to')
  return object
}

const files = { pieces: ['ZmlsZXM='], usable: true }

describe('behaviour/platform#configuration-versions: every state with every event', () => {
  test.each(cases)('$state: $event (in use $isInUse)', ({ state, event, isInUse }) => {
    const takesFiles = event === 'archive' || event === 'soft_delete'
    const to = takesFiles && isInUse ? undefined : table[state][event]
    expect(versionMachine.allows(state, event, { isInUse })).toBe(to !== undefined)
    if (to !== undefined) {
      expect(versionMachine.next(state, event, { isInUse })).toBe(to)
      return
    }
    expect(refusalOf(() => versionMachine.next(state, event, { isInUse }))).toEqual({
      kind: 'conflict',
      message: `a configuration version that is ${state} cannot ${event}`,
    })
  })
})

describe('behaviour/program#control-plane: transitions of kind platform.configuration-version', () => {
  const statusOf = (world: World, id: string) => versionWithId(world, id)?.status

  test('possible targets of a forced transition in each state', () => {
    const world = platformWorld({ autoCreateTestRunOnUpload: false })
    const kind = kindOf(world, versionKind)
    const { id } = create(world)
    expect(kind.items(world)).toEqual([
      { id, state: 'pending', to: ['fetching', 'uploaded', 'errored'] },
    ])
    kind.force(world, id, 'fetching', {})
    expect(kind.items(world)).toEqual([{ id, state: 'fetching', to: ['uploaded', 'errored'] }])
    kind.force(world, id, 'uploaded', {})
    expect(kind.items(world)).toEqual([{ id, state: 'uploaded', to: ['archived'] }])
    kind.force(world, id, 'archived', {})
    expect(kind.items(world)).toEqual([{ id, state: 'archived', to: [] }])
  })

  test('a forced transition that the state does not allow is rejected, and so is an unknown id', () => {
    const world = platformWorld()
    const kind = kindOf(world, versionKind)
    const { id } = create(world)
    expect(refusalOf(() => kind.force(world, id, 'archived', {}))).toEqual({
      kind: 'conflict',
      message: 'a configuration version that is pending cannot become archived',
    })
    expect(refusalOf(() => kind.force(world, 'cv-x', 'uploaded', {}))).toEqual({
      kind: 'absent',
      message: 'there is no configuration version "cv-x"',
    })
  })

  test('a forced transition to uploaded starts a run like an upload, and the run prevents archiving', () => {
    const world = platformWorld()
    const kind = kindOf(world, versionKind)
    const { id } = create(world)
    kind.force(world, id, 'uploaded', {})
    expect(testRunsOf(world, firstModule(world).id).slice(0, 2)).toMatchObject([
      { configuration_version: id, source: 'ent-configuration-version', created_by: 'user-x' },
    ])
    expect(kind.items(world)).toMatchObject([{ id, to: [] }])
    expect(refusalOf(() => kind.force(world, id, 'archived', {}))?.kind).toBe('conflict')
    world.advance(2_250)
    kind.force(world, id, 'archived', {})
    expect(statusOf(world, id)).toBe('archived')
  })

  test('timing manual: an upload waits for a forced transition and keeps its files', () => {
    const world = platformWorld()
    setTiming(world, versionKind, 'manual')
    const version = create(world)
    receiveUpload(world, uploadTo(world, version), files)
    world.advance(60_000)
    expect(statusOf(world, version.id)).toBe('pending')
    expect(contentOf(world, version.id)).toEqual(['ZmlsZXM='])
    kindOf(world, versionKind).force(world, version.id, 'errored', {})
    expect(versionWithId(world, version.id)).toMatchObject({
      status: 'errored',
      error: 'invalid_archive',
    })
    expect(contentOf(world, version.id)).toEqual([])
  })

  test('timing after: processing takes the given time; bad files then make the version errored', () => {
    const world = platformWorld({ ingestDelay: '1h' })
    setTiming(world, versionKind, { after: '2s' })
    const [good, bad] = [create(world), create(world)]
    receiveUpload(world, uploadTo(world, good), files)
    receiveUpload(world, uploadTo(world, bad), { ...files, usable: false })
    world.advance(1_999)
    expect([statusOf(world, good.id), statusOf(world, bad.id)]).toEqual(['pending', 'pending'])
    world.advance(1)
    expect([statusOf(world, good.id), statusOf(world, bad.id)]).toEqual(['uploaded', 'errored'])
  })

  test('timing immediate takes precedence over the option ingestDelay', () => {
    const world = platformWorld({ ingestDelay: '1h' })
    setTiming(world, versionKind, 'immediate')
    const version = create(world)
    expect(receiveUpload(world, uploadTo(world, version), files).status).toBe('uploaded')
  })

  test('a forced transition ends the processing of files', () => {
    const world = platformWorld({ ingestDelay: '2s', autoCreateTestRunOnUpload: false })
    const version = create(world)
    receiveUpload(world, uploadTo(world, version), files)
    kindOf(world, versionKind).force(world, version.id, 'uploaded', {})
    archiveVersion(world, versionWithId(world, version.id) ?? version)
    world.advance(10_000)
    expect(statusOf(world, version.id)).toBe('archived')
    expect(world.agenda.next()).toBeUndefined()
  })
})
