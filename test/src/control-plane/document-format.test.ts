import { describe, expect, onTestFinished, test } from 'vitest'
import { createUnderstudy } from '../../../src/embedding/index.ts'

async function started() {
  const understudy = await createUnderstudy({ clock: 'frozen@2026-01-01T00:00:00Z', seed: 'test' })
  onTestFinished(() => understudy.close())
  return understudy
}

/** Paths of the state of the default world. */
const paths = ['/_mock/state', '/_mock/worlds/default/state']

describe('behaviour/program#fresh-world: the form of state documents', () => {
  test.each(paths)('PUT %s reads YAML and bodies with any number of values', async (url) => {
    const understudy = await started()
    const put = (type: string, payload: string) =>
      understudy.inject({ method: 'PUT', url, headers: { 'content-type': type }, payload })
    const yaml = 'secrets:\n  kv:\n    secret/:\n      a: { b: c }\n'
    expect((await put('application/yaml', yaml)).statusCode).toBe(204)
    expect(understudy.world().secrets.get('secret/a')).toEqual({ b: 'c' })
    const many = JSON.stringify({ b: Array.from({ length: 60_000 }, () => '123456789') })
    const document = `{"secrets":{"kv":{"secret/":{"a":${many}}}}}`
    expect((await put('application/json', document)).statusCode).toBe(204)
  })

  test('PUT /state without a document is refused and changes nothing; {} is a fresh world', async () => {
    const understudy = await started()
    const world = understudy.world()
    world.seed({ secrets: { kv: { 'secret/': { a: { b: 'c' } } } } })
    const before = world.state()
    for (const payload of [undefined, '', ' ', 'null']) {
      for (const url of paths) {
        const reply = await understudy.inject({
          method: 'PUT',
          url,
          ...(payload === undefined ? {} : { payload }),
        })
        expect([payload, url, reply.statusCode]).toEqual([payload, url, 400])
        expect(reply.json().detail).toContain('body must be object')
      }
    }
    expect(() => world.importState(null as never)).toThrow('must be object')
    expect(world.state()).toEqual(before)
    const empty = await understudy.inject({ method: 'PUT', url: '/_mock/state', payload: {} })
    expect(empty.statusCode).toBe(204)
    expect(world.state()).not.toEqual(before)
  })

  test('an export begins with its format, and a document without one has format 1', async () => {
    const understudy = await started()
    const world = understudy.world()
    expect((await understudy.inject('/_mock/state')).body).toMatch(/^\{"format":1,/)
    const { format, ...unmarked } = world.state()
    world.importState(unmarked)
    expect(world.state()).toEqual({ ...unmarked, format })
  })

  test('a later format is refused with a sentence; other values are not formats', async () => {
    const understudy = await started()
    const before = understudy.world().state()
    const put = async (format: unknown) => {
      const payload = { format }
      const reply = await understudy.inject({ method: 'PUT', url: '/_mock/state', payload })
      return [reply.statusCode, reply.json().detail]
    }
    expect(await put(2)).toEqual([
      400,
      '/format is 2: a later version has written the document; this one reads format 1',
    ])
    expect(await put('1')).toEqual([400, '/format must be integer'])
    expect(await put(0)).toEqual([400, '/format must be >= 1'])
    expect(understudy.world().state()).toEqual(before)
    const url = '/_mock/worlds'
    const made = await understudy.inject({
      method: 'POST',
      url,
      payload: { fixtures: { format: 2 } },
    })
    expect(made.statusCode).toBe(400)
    await expect(createUnderstudy({ fixtures: { format: 3 } })).rejects.toThrow('format is 3')
  })
})
