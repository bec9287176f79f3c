import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { Understudy } from '../../../src/embedding/understudy.ts'
import { services } from '../../../src/services.ts'
import { LibraryControl, library } from '../../support/library/api.ts'

/** A server with a fifth API. Only the list of services that the server receives names this API. */
let understudy: Understudy

beforeEach(async () => {
  const apiPorts: Record<string, number> = { library: 0 }
  understudy = new Understudy({ seed: 'library', apiPorts }, [...services, library])
  await understudy.ready()
  onTestFinished(() => understudy.close())
})

async function ask(
  method: 'GET' | 'POST' | 'PUT' | 'PATCH',
  url: string,
  payload?: object,
  headers: Readonly<Record<string, string>> = {},
) {
  const reply = await understudy.inject({ method, url, headers, ...(payload && { payload }) })
  return { status: reply.statusCode, body: reply.body === '' ? undefined : reply.json() }
}

describe('a fifth API touches its own folders and one list (behaviour/program#walls)', () => {
  test('the API is served next to the others, and its shapes validate the input', async () => {
    const created = await ask('POST', '/library/books', { title: 'Emma' })
    expect(created).toMatchObject({ status: 201, body: { title: 'Emma', place: 'shelf' } })
    expect(await ask('POST', '/library/books', { title: '' })).toMatchObject({ status: 400 })
    expect((await ask('GET', '/library/books')).body).toEqual({ books: [created.body] })
    expect((await ask('GET', '/v1/sys/health')).status).toBe(200)
  })

  test('a refused request leaves no trace, not even a used id', async () => {
    await ask('POST', '/library/books', { title: 'Emma' })
    const before = await ask('GET', '/_mock/state')
    expect(await ask('POST', '/library/books', { title: 'Emma' })).toEqual({
      status: 409,
      body: { error: 'Emma is there already' },
    })
    expect(await ask('GET', '/_mock/state')).toEqual(before)
  })

  test('the API has worlds, snapshots, fixtures and a part of the state', async () => {
    const fixtures = { library: { titles: ['Emma'] } }
    expect((await ask('POST', '/_mock/worlds', { id: 'w', fixtures })).status).toBe(201)
    const { body } = await ask('GET', '/_world/w/library/books')
    expect(body.books).toMatchObject([{ title: 'Emma' }])
    expect((await ask('GET', '/library/books')).body).toEqual({ books: [] })
    const snapshot = await ask('POST', '/_mock/worlds/w/snapshots')
    await ask('POST', '/_world/w/library/books', { title: 'Persuasion' })
    const path = `/_mock/worlds/w/snapshots/${snapshot.body.id}`
    expect((await ask('GET', `${path}/diff`)).body.changes).toMatchObject([
      { table: 'library.books', after: { title: 'Persuasion' } },
    ])
    await ask('POST', `${path}/restore`)
    const state = await ask('GET', '/_mock/worlds/w/state/library')
    const [book] = body.books
    expect(state.body).toEqual({ tables: { books: { [book.id]: book } } })
  })

  test('the control plane knows its options, transitions and operations', async () => {
    const { body: book } = await ask('POST', '/library/books', { title: 'Emma' })
    expect((await ask('GET', '/_mock/options')).body).toMatchObject({ library: { shelves: 3 } })
    expect((await ask('PATCH', '/_mock/options', { library: { shelves: 'x' } })).status).toBe(400)
    expect((await ask('GET', '/_mock/info')).body.services.library).toMatchObject({
      motto: 'be quiet',
    })
    await ask('POST', `/_mock/transitions/library.book/${book.id}`, { to: 'lent' })
    expect((await ask('GET', '/library/books')).body.books).toMatchObject([{ place: 'lent' }])
    const { body: coverage } = await ask('GET', '/_mock/coverage?service=library')
    expect(coverage.services).toMatchObject([
      { name: 'library', operations: [{ id: 'addBook' }, { id: 'listBooks' }] },
    ])
    expect((await ask('GET', '/_mock/library/count')).body).toEqual({ count: 1 })
    expect((await ask('GET', '/_mock/worlds/default/library/count')).body).toEqual({ count: 1 })
  })

  test('the journal has the requests without the token, and explains a refusal', async () => {
    await ask('POST', '/library/books', { title: 'Emma' }, { 'x-library-card': 'card-7' })
    await ask('POST', '/library/books', { title: 'Emma' })
    await ask('GET', '/library/shelves')
    const world = understudy.world()
    const [first, second, third] = world.requests.find()
    expect(first).toMatchObject({ service: 'library', operation: 'addBook', outcome: 'served' })
    expect(JSON.stringify(first)).not.toContain('card-7')
    expect(second).toMatchObject({ outcome: 'refused', rule: 'title-taken', changes: [] })
    expect(world.explain('r2')).toMatchObject({
      because: 'another book has the title Emma.',
      steps: [
        { check: 'world', passed: true },
        { check: 'route', passed: true },
        { check: 'body', passed: true },
        { check: 'operation', passed: false },
      ],
    })
    expect(third).toMatchObject({ outcome: 'unmatched' })
    expect(world.explain('r3').nearest).toMatchObject([
      { operation: 'listBooks' },
      { operation: 'addBook' },
    ])
    expect(world.report().operations).toContainEqual(
      expect.objectContaining({ service: 'library', operation: 'addBook' }),
    )
  })

  test('the vendor dialect has the wording of the API', async () => {
    await using vendor = new Understudy({ dialect: 'vendor' }, [...services, library])
    const add = () =>
      vendor.inject({ method: 'POST', url: '/library/books', payload: { title: 'Emma' } })
    await add()
    expect((await add()).json()).toEqual({ error: 'duplicate title: Emma' })
  })

  test('a preset of the API makes requests to that API fail, and no others', async () => {
    const { body } = await ask('GET', '/_mock/faults/presets')
    expect(body.presets.map(({ name }: { name: string }) => name)).toContain('library-closed')
    expect((await ask('POST', '/_mock/faults/presets/library-closed')).status).toBe(201)
    expect((await ask('GET', '/library/books')).status).toBe(503)
    expect((await ask('GET', '/v1/sys/health')).status).toBe(200)
    understudy.world().faults.endPreset('library-closed')
    expect((await ask('GET', '/library/books')).status).toBe(200)
  })

  test('an embedding program can call the class that serves the control call', async () => {
    await ask('POST', '/library/books', { title: 'Emma' })
    expect(understudy.world().part(LibraryControl).count()).toBe(1)
  })

  test('the API can have a listener of its own', async () => {
    await understudy.listen()
    const { ports } = understudy.world().info()
    expect(ports['library']).not.toBe(ports['secrets'])
    const alone = `http://127.0.0.1:${ports['library']}`
    expect((await fetch(`${alone}/library/books`)).status).toBe(200)
    expect((await fetch(`${alone}/v1/sys/health`)).status).toBe(404)
  })
})
