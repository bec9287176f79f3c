import { describe, expect, test } from 'vitest'
import { defineTable } from '../../../../state/kernel/store/table.ts'
import { World } from '../../../../state/kernel/worlds/world.ts'
import { namesInFolder } from '../../../../state/secrets/kv/folders.ts'
import { refuse } from '../../../../state/secrets/kv/messages.ts'

const things = defineTable<{ readonly n: number }>()({
  service: 'secrets',
  name: 'things',
  secrets: 'none',
  schema: { type: 'object' },
})

function worldWith(...keys: readonly string[]): World {
  const world = new World({ id: 'test', services: [], clock: { mode: 'frozen', at: 0 } })
  world.write(() => {
    for (const key of keys) world.table(things).put(key, { n: 1 })
  })
  return world
}

describe('behaviour/secrets#api-lists: folders', () => {
  test('lists names and sub-folders of the folder without duplicates', () => {
    const world = worldWith('m/a', 'm/b', 'm/b/x', 'm/b/y', 'm/c/d/e', 'n/z')
    expect(namesInFolder(world, things, 'm/')).toEqual(['a', 'b', 'b/', 'c/'])
    expect(namesInFolder(world, things, 'm/b/')).toEqual(['x', 'y'])
  })

  test('sorts bytewise, although keys sort by UTF-16 code unit', () => {
    const world = worldWith('m/\u{1f600}', 'm/\uff5e', 'm/Z', 'm/a')
    expect(namesInFolder(world, things, 'm/')).toEqual(['Z', 'a', '\uff5e', '\u{1f600}'])
  })

  test('an empty folder is absent', () => {
    expect(() => namesInFolder(worldWith('m/a'), things, 'm/a/')).toThrow(refuse('nothing-here'))
  })
})
