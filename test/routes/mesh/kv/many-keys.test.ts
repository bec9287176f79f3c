import { expect, test } from 'vitest'
import { mesh } from '../../../support/mesh/mesh.ts'
import type { Reply } from '../../../support/secrets/secrets.ts'
import { countTurns, slowClock } from '../../../support/turns.ts'

const keyCount = 600

/** Starts the API with many keys below `a/` and one other key. */
async function manyKeys() {
  const { mesh: client } = await mesh()
  const names = Array.from({ length: keyCount }, (_, at) => `a/${String(at).padStart(3, '0')}`)
  for (let at = 0; at < keyCount; at += 60) {
    const sets = names.slice(at, at + 60)
    await client.put(
      'txn',
      sets.map((Key) => ({ KV: { Verb: 'set', Key, Value: 'eA==' } })),
    )
  }
  await client.put('kv/b', 'x')
  return { client, names }
}

test.each([
  ['in turns of the event loop', 5, 20],
  ['at once on a fast clock', 0, 0],
])('behaviour/program#bounds: many keys are read %s', async (_title, step, minTurns) => {
  const { client, names } = await manyKeys()
  slowClock(step)
  const keysOf = async (path: string) => {
    const { body } = await client.get(path)
    return body.map(({ Key }: { readonly Key: string }) => Key)
  }
  const turns = await countTurns(async () => {
    expect(await keysOf('kv/a?recurse')).toEqual(names)
    expect(await keysOf('kv/a?recurse&pretty')).toEqual(names)
  })
  expect(turns).toBeGreaterThanOrEqual(minTurns)
})

test('behaviour/program#bounds: many keys are deleted in parts, as one change', async () => {
  const { client } = await manyKeys()
  const [{ ModifyIndex }] = (await client.get('kv/b')).body
  slowClock(30)
  const turnsOfOneKey = await countTurns(() => client.delete('kv/c?recurse'))
  let keys: Promise<Reply> | undefined
  const turns = await countTurns(async () => {
    const deletion = client.delete('kv/a?recurse')
    keys = client.get('kv/?keys')
    expect((await deletion).body).toBe(true)
  })
  expect(turns).toBeGreaterThan(turnsOfOneKey + 2)
  expect((await keys)?.body).toEqual(['b'])
  const { headers } = await client.get('kv/?keys')
  expect(headers['x-mesh-index']).toBe(String(ModifyIndex + 1))
})
