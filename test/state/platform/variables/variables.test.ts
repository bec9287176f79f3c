import { describe, expect, test } from 'vitest'
import { exportWorld } from '../../../../state/kernel/worlds/document.ts'
import { World } from '../../../../state/kernel/worlds/world.ts'
import { refuse } from '../../../../state/platform/messages.ts'
import { platformService } from '../../../../state/platform/service.ts'
import {
  changeVariable,
  createVariable,
  findVariable,
  removeVariable,
  removeVariablesOf,
  variablesOf,
} from '../../../../state/platform/variables/variables.ts'
import { testTime } from '../../../support/secrets/secrets.ts'

function newWorld(document?: ReturnType<typeof exportWorld>): World {
  return new World({
    id: 'w',
    services: [platformService],
    seed: 'test',
    clock: { mode: 'frozen', at: testTime },
    document,
    freezeRows: true,
  })
}

const env = { category: 'env' }

function keysOf(world: World, module = 'mod-a'): string[] {
  return variablesOf(world, module).map(({ key }) => key)
}

describe('behaviour/platform#variables: variables of modules', () => {
  test('test runs get real values, oldest first, separate for each module', () => {
    const world = newWorld()
    for (const key of ['z', 'y', 'x']) {
      createVariable(world, 'mod-a', { ...env, key, value: key, sensitive: key === 'y' })
    }
    createVariable(world, 'mod-ab', { ...env, key: 'z' })
    expect(variablesOf(world, 'mod-a').map(({ key, value }) => [key, value])).toEqual([
      ['z', 'z'],
      ['y', 'y'],
      ['x', 'x'],
    ])
    expect(keysOf(world, 'mod-ab')).toEqual(['z'])
    expect(variablesOf(world, 'mod-none')).toEqual([])
  })

  test('the order stays when variables in the middle and at the end are deleted', () => {
    const world = newWorld()
    const made = ['a', 'b', 'c'].map((key) => createVariable(world, 'mod-a', { ...env, key }))
    for (const variable of made.slice(1)) removeVariable(world, variable)
    createVariable(world, 'mod-a', { ...env, key: 'A' })
    expect(keysOf(world)).toEqual(['a', 'A'])
  })

  test('a change keeps position, id and creation time', () => {
    const world = newWorld()
    const [first] = ['a', 'b'].map((key) => createVariable(world, 'mod-a', { ...env, key }))
    if (first === undefined) throw new Error('nothing was made')
    world.advance(1000)
    const changed = changeVariable(world, first, { key: 'z' })
    expect(changed).toEqual({ ...first, key: 'z', version_id: expect.any(String) })
    expect(keysOf(world)).toEqual(['z', 'b'])
  })

  test('deleting a module deletes its variables', () => {
    const world = newWorld()
    const missing = createVariable(world, 'mod-a', { ...env, key: 'a' })
    const kept = createVariable(world, 'mod-ab', { ...env, key: 'a' })
    world.write(() => removeVariablesOf(world, 'mod-a'))
    expect(keysOf(world)).toEqual([])
    expect(() => findVariable(world, 'mod-a', missing.id)).toThrow(refuse('not-found'))
    expect(findVariable(world, 'mod-ab', kept.id)).toEqual(kept)
  })

  test('a rejected change leaves rows, ids and index unchanged', () => {
    const world = newWorld()
    const variable = createVariable(world, 'mod-a', { ...env, key: 'a' })
    const before = world.snapshot()
    const sequence = world.store.sequence
    expect(() => createVariable(world, 'mod-a', { ...env, key: 'a' })).toThrow(
      'key has already been taken',
    )
    expect(() => changeVariable(world, variable, { category: 'x' })).toThrow(
      'category is not included in the list',
    )
    expect([world.ids.state, world.store.sequence]).toEqual([before.ids, sequence])
  })

  test('an export and import keeps the variables, and the next one follows them', () => {
    const world = newWorld()
    for (const key of ['b', 'a']) createVariable(world, 'mod-a', { ...env, key, value: 'v' })
    const document = exportWorld(world)
    const copy = newWorld(document)
    expect(variablesOf(copy, 'mod-a')).toEqual(variablesOf(world, 'mod-a'))
    expect(JSON.stringify(exportWorld(copy))).toBe(JSON.stringify(document))
    createVariable(copy, 'mod-a', { ...env, key: '_' })
    expect(keysOf(copy)).toEqual(['b', 'a', '_'])
  })
})
