import { describe, expect, test } from 'vitest'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import type { PlatformOptions } from '../../../../state/platform/options.ts'
import {
  createStateVersion,
  nextStateIdentity,
  withSerial,
} from '../../../../state/platform/states/creation.ts'
import { managedResourcesOf } from '../../../../state/platform/states/managed-resources.ts'
import { parseStateFile, simpleType } from '../../../../state/platform/states/state-file.ts'
import {
  changeBackingData,
  finalizeStateVersion,
  stateVersionMachine,
} from '../../../../state/platform/states/state-machine.ts'
import {
  currentStateVersion,
  outputsOf,
  type StateVersion,
  stateContents,
  stateVersionsOf,
  stateVersionWithId,
} from '../../../../state/platform/states/state-versions.ts'
import { md5Of } from '../../../../state/platform/states/vendor-form.ts'
import { stateFile } from '../../../support/platform/platform-states.ts'
import { kindOf, platformWorld, refusalOf, setTiming } from '../platform-world.ts'

const workspace = 'ws-one'

function create(world: World, serial: number, state?: string): StateVersion {
  return createStateVersion(world, { workspace, user: 'user-x', serial, ...(state && { state }) })
}

function again(world: World, { id }: StateVersion): StateVersion {
  const version = stateVersionWithId(world, id)
  if (version === undefined) throw new Error('there is no such state version')
  return version
}

function withStates(options: Partial<PlatformOptions> = {}) {
  const world = platformWorld(options)
  return { world, statuses: () => stateVersionsOf(world, workspace).map((one) => one.status) }
}

describe('behaviour/platform#state-versions', () => {
  test('a state version with a state is finalized, processed and current', () => {
    const { world } = withStates()
    const state = stateFile({ serial: 3, resources: [{ type: 'null_resource', name: 'a' }] })
    const version = create(world, 3, state)
    expect(version).toMatchObject({
      status: 'finalized',
      md5: md5Of(state),
      size: state.length,
      lineage: 'lineage-1',
      state_version: 4,
      infra_version: '1.9.8',
      resources_processed: true,
      resource_count: 1,
      billable_rum_count: 0,
      modules: { root: { 'null-resource': 1 } },
    })
    expect(currentStateVersion(world, workspace)).toEqual(version)
    expect(nextStateIdentity(world, workspace)).toEqual({ serial: 4, lineage: 'lineage-1' })
  })

  test('a pending state version is discarded when a newer one is finalized first', () => {
    const { world, statuses } = withStates()
    const older = create(world, 1)
    const newer = create(world, 2)
    expect(statuses()).toEqual(['pending', 'pending'])
    finalizeStateVersion(world, newer, stateFile())
    expect(statuses()).toEqual(['finalized', 'discarded'])
    expect(refusalOf(() => finalizeStateVersion(world, again(world, older), stateFile()))).toEqual({
      kind: 'invalid',
      message: 'transition not allowed',
    })
  })

  test('a newer pending state version stays when an older one is finalized', () => {
    const { world, statuses } = withStates()
    const older = create(world, 1)
    create(world, 2)
    finalizeStateVersion(world, older, stateFile())
    expect(statuses()).toEqual(['pending', 'finalized'])
    expect(currentStateVersion(world, workspace)?.id).toBe(older.id)
  })

  test('stateProcessingTime: resources and outputs are unknown until it has passed', () => {
    const { world } = withStates({ stateProcessingTime: '5s' })
    const outputs = { x: { value: 1, type: 'number' } }
    const version = create(
      world,
      1,
      stateFile({ outputs, resources: [{ type: 'a_b', name: 'c' }] }),
    )
    expect([version.resources_processed, outputsOf(world, version)]).toEqual([false, []])
    world.advance(5000)
    expect(again(world, version)).toMatchObject({ resources_processed: true, resource_count: 1 })
    expect(outputsOf(world, version)).toMatchObject([{ name: 'x', value: 1, sensitive: false }])
  })

  test('outputs that are sent along are known before the resources', () => {
    const { world } = withStates({ stateProcessingTime: '5s' })
    const json_outputs = JSON.stringify({ b: { value: 'v', sensitive: true }, a: { value: [1] } })
    const input = { workspace, user: 'user-x', serial: 1, state: stateFile(), json_outputs }
    const version = createStateVersion(world, input)
    expect(outputsOf(world, version)).toMatchObject([
      { name: 'a', value: [1], sensitive: false, detailed_type: ['tuple', ['number']] },
      { name: 'b', value: 'v', sensitive: true, detailed_type: 'string' },
    ])
    world.advance(5000)
    expect(outputsOf(world, version)).toHaveLength(2)
  })

  test('only the files of a finalized version that is not current are deleted and restored', () => {
    const { world } = withStates()
    const old = create(world, 1, stateFile())
    const current = create(world, 2, stateFile())
    const refused = { kind: 'invalid', message: 'transition not allowed' }
    expect(refusalOf(() => changeBackingData(world, current, 'soft_delete'))).toEqual(refused)
    expect(refusalOf(() => changeBackingData(world, old, 'restore'))).toEqual(refused)
    const deleted = changeBackingData(world, old, 'soft_delete')
    const restored = changeBackingData(world, deleted, 'restore')
    expect([deleted.status, restored.status]).toEqual(['backing_data_soft_deleted', 'finalized'])
    changeBackingData(
      world,
      changeBackingData(world, restored, 'soft_delete'),
      'permanently_delete',
    )
    expect(again(world, old).status).toBe('backing_data_permanently_deleted')
    expect([...world.table(stateContents).rows(`${old.id}/`)]).toEqual([])
    expect(refusalOf(() => changeBackingData(world, again(world, old), 'restore'))).toEqual(refused)
  })

  test('every state is reached by a move, except the first', () => {
    const reached = new Set(stateVersionMachine.moves.map(({ to }) => to))
    expect(stateVersionMachine.states.filter((state) => !reached.has(state))).toEqual(['pending'])
  })

  test('the serial inside a state file can be replaced', () => {
    const changed = withSerial(stateFile({ serial: 3 }), 9)
    expect(parseStateFile(changed)?.serial).toBe(9)
    expect(changed.endsWith('}\n')).toBe(true)
  })

  test.each([
    ['string', 'string'],
    ['number', 'number'],
    ['bool', 'boolean'],
    [['list', 'string'], 'array'],
    [['set', 'string'], 'array'],
    [['tuple', ['number']], 'array'],
    [['map', 'string'], 'object'],
    [['object', {}], 'object'],
  ])('outputs of type %j are %s in JSON', (detailed, simple) => {
    expect(simpleType(detailed)).toBe(simple)
  })

  test.each(['', '[]', 'null', '"x"', '{'])('%j is not a state file', (text) => {
    expect(parseStateFile(text)).toBeUndefined()
  })
})

describe('behaviour/platform#workspace-resources: resources of successive states', () => {
  test('a resource that does not change keeps its id and the version that changed it last', () => {
    const { world } = withStates()
    const kept = { type: 'random_pet', name: 'kept' }
    const first = create(world, 1, stateFile({ resources: [kept, { type: 'a_b', name: 'gone' }] }))
    const before = managedResourcesOf(world, workspace)
    world.advance(1000)
    const changed = { type: 'a_b', name: 'new', module: 'module.m', indexes: ['k', 0] }
    const second = create(world, 2, stateFile({ resources: [kept, changed] }))
    const after = managedResourcesOf(world, workspace)
    expect(after.map((one) => [one.address, one.modified_by_state_version_id])).toEqual([
      ['module.m.a_b.new["k"]', second.id],
      ['module.m.a_b.new[0]', second.id],
      ['random_pet.kept', first.id],
    ])
    expect(after.at(-1)).toEqual(before.at(-1))
    expect(after[0]).toMatchObject({ module: 'm', name_index: 'k', provider: 'hashicorp/a' })
  })
})

describe('behaviour/program#control-plane: forced transitions of kind platform.state-version', () => {
  test('a pending state version is finalized or discarded, a finalized one is processed', () => {
    const { world, statuses } = withStates()
    setTiming(world, 'platform.state-version', 'manual')
    const kind = kindOf(world, 'platform.state-version')
    const [one, two] = [create(world, 1), create(world, 2)]
    const targets = () => new Map(kind.items(world).map(({ id, to }) => [id, to]))
    expect(targets().get(one.id)).toEqual(['finalized', 'discarded'])
    kind.force(world, one.id, 'finalized', {})
    kind.force(world, two.id, 'discarded', {})
    expect(statuses()).toEqual(['discarded', 'finalized'])
    expect(targets().get(one.id)).toEqual(['processed'])
    kind.force(world, one.id, 'processed', {})
    expect(again(world, one).resources_processed).toBe(true)
    expect(refusalOf(() => kind.force(world, one.id, 'processed', {}))?.kind).toBe('conflict')
    expect(refusalOf(() => kind.force(world, 'sv-x', 'processed', {}))?.kind).toBe('absent')
  })
})
