import { describe, expect, test } from 'vitest'
import { control, problem, type TestControl } from '../../../support/control.ts'
import { notes, plants, start } from '../../../support/kernel.ts'
import { countTurns, slowClock } from '../../../support/turns.ts'

const note = ({ world }: TestControl, key: string, text: string) =>
  world.write(() => world.table(notes).put(key, { text }))

const schedule = ({ world }: TestControl, after: number, job: string, id: string) =>
  world.write(() => world.agenda.schedule({ at: start + after, job: `garden.${job}`, id }))

/** Returns a problem with status 400 and these lines. */
const mistakes = (...lines: string[]) => problem(400, 'Bad Request', lines.join('; '), lines)

describe('behaviour/program#control-plane: GET never changes anything', () => {
  test('neither the state nor the list of snapshots or worlds', async () => {
    const plane = await control()
    const { ask } = plane
    await ask('POST', '/worlds', { id: 'w' })
    const { id } = (await ask('POST', '/snapshots')).body
    const before = (await ask('GET', '/state')).text
    for (const path of [
      '/health',
      '/ready',
      '/info',
      '/openapi.json',
      '/worlds',
      '/worlds/w',
      '/state',
      '/state/garden',
      '/snapshots',
      `/snapshots/${id}/diff`,
      '/clock',
      '/options',
      '/transitions',
    ]) {
      expect((await ask('GET', path)).status).toBe(200)
    }
    expect((await ask('GET', '/state')).text).toBe(before)
    expect((await ask('GET', '/worlds')).body.worlds.length).toBe(2)
    expect((await ask('GET', '/snapshots')).body.snapshots.length).toBe(1)
  })
})

describe('behaviour/program#control-plane: reset', () => {
  // choice/process#reset
  test('without a body restores the fixtures completely', async () => {
    const plane = await control({}, { document: { garden: { heights: { elm: 4 } } } })
    const { ask, world } = plane
    const before = (await ask('GET', '/state')).text
    note(plane, 'n', 'x')
    world.write(() => world.table(plants).delete('elm'))
    world.advance(5000)
    const reply = await ask('POST', '/reset')
    expect([reply.status, reply.text]).toEqual([204, ''])
    expect((await ask('GET', '/state')).text).toBe(before)
  })

  // choice/process#reset
  test('of some parts keeps the others', async () => {
    const plane = await control()
    const { ask, world } = plane
    note(plane, 'n', 'x')
    world.advance(5000)
    await ask('POST', '/reset', { what: ['clock', 'faults', 'journal'] })
    expect([world.clock.now(), world.table(notes).size]).toEqual([start, 1])
    await ask('POST', '/reset', { what: ['state', 'ids', 'transitions'] })
    expect(world.table(notes).size).toBe(0)
  })

  test('of an empty list, or of a part outside the world, changes nothing', async () => {
    const plane = await control()
    note(plane, 'n', 'x')
    for (const what of [[], ['faults']]) await plane.ask('POST', '/reset', { what })
    expect(plane.world.table(notes).size).toBe(1)
  })

  test('of an unknown part is refused', async () => {
    const { ask } = await control()
    const reply = await ask('POST', '/reset', { what: ['state', 'everything'], when: 'now' })
    expect(reply.status).toBe(400)
    expect(reply.body).toEqual(
      mistakes(
        '/when is unknown',
        '/what/1 must be one of "state", "faults", "journal", "clock", "ids", "transitions"',
      ),
    )
  })
})

describe('behaviour/program#control-plane: snapshots', () => {
  test('are taken, listed, restored and deleted', async () => {
    const plane = await control()
    const { ask, world } = plane
    note(plane, 'n', 'then')
    const taken = await ask('POST', '/snapshots')
    const { id } = taken.body
    const view = { id, world: 'default', takenAt: '2026-01-01T00:00:00Z', sequence: 2 }
    expect([taken.status, taken.body]).toEqual([201, view])
    expect(id).toMatch(/^snap-[0-9A-Za-z]{10}$/)
    expect((await ask('GET', '/snapshots')).body).toEqual({ snapshots: [view] })
    for (let round = 0; round < 2; round++) {
      note(plane, 'n', 'now')
      world.advance(1000)
      const restored = await ask('POST', `/snapshots/${id}/restore`)
      expect([restored.status, restored.text]).toEqual([204, ''])
      expect(world.table(notes).get('n')).toEqual({ text: 'then' })
      expect(world.clock.now()).toBe(start)
    }
    const gone = await ask('DELETE', `/snapshots/${id}`)
    expect([gone.status, gone.text]).toEqual([204, ''])
    expect((await ask('GET', '/snapshots')).body).toEqual({ snapshots: [] })
  })

  test('are compared with the present and with one another', async () => {
    const plane = await control()
    const { ask } = plane
    note(plane, 'n', '1')
    const from = (await ask('POST', '/snapshots')).body.id
    note(plane, 'n', '2')
    const to = (await ask('POST', '/snapshots')).body.id
    note(plane, 'm', '3')
    const changed = {
      table: 'garden.notes',
      key: 'n',
      before: { text: '1' },
      after: { text: '2' },
    }
    const added = { table: 'garden.notes', key: 'm', after: { text: '3' } }
    const present = await ask('GET', `/snapshots/${from}/diff`)
    expect(present.status).toBe(200)
    expect(present.body).toEqual({ from, to: 'present', changes: [added, changed] })
    expect((await ask('GET', `/snapshots/${from}/diff?to=${to}`)).body).toEqual({
      from,
      to,
      changes: [changed],
    })
    expect((await ask('GET', `/snapshots/${to}/diff?to=${to}`)).body.changes).toEqual([])
  })

  // choice/process#snapshots
  test('are refused if they are unknown or of another world', async () => {
    const { ask, worlds } = await control()
    const mine = worlds.snapshots.take(worlds.default).id
    const foreign = worlds.snapshots.take(worlds.create({ id: 'w' })).id
    const unknown = problem(404, 'Not Found', 'there is no snapshot "x"')
    const elsewhere = problem(
      404,
      'Not Found',
      `there is no snapshot "${foreign}" of the world "default"; it is one of "w"`,
    )
    for (const [id, expected] of [
      ['x', unknown],
      [foreign, elsewhere],
    ] as const) {
      for (const [method, path] of [
        ['POST', `/snapshots/${id}/restore`],
        ['GET', `/snapshots/${id}/diff`],
        ['GET', `/snapshots/${mine}/diff?to=${id}`],
        ['DELETE', `/snapshots/${id}`],
      ] as const) {
        const reply = await ask(method, path)
        expect([reply.status, reply.body]).toEqual([404, expected])
      }
    }
    expect((await ask('GET', '/worlds/w/snapshots')).body.snapshots.length).toBe(1)
    expect((await ask('POST', `/worlds/w/snapshots/${foreign}/restore`)).status).toBe(204)
  })
})

describe('behaviour/program#control-plane: the clock', () => {
  test('is shown with the next scheduled job', async () => {
    const plane = await control()
    expect((await plane.ask('GET', '/clock')).body).toEqual({
      mode: 'frozen',
      now: '2026-01-01T00:00:00Z',
      next: null,
    })
    schedule(plane, 1500, 'note', 'n')
    expect((await plane.ask('GET', '/clock')).body.next).toEqual({
      at: '2026-01-01T00:00:01.5Z',
      kind: 'garden.note',
      id: 'n',
    })
  })

  test('lists scheduled jobs, in order and up to a limit', async () => {
    const plane = await control()
    expect((await plane.ask('GET', '/clock/due')).body).toEqual({ due: [], total: 0 })
    schedule(plane, 2000, 'note', 'late')
    schedule(plane, 1500, 'note', 'early')
    const { body } = await plane.ask('GET', '/clock/due')
    expect(body.due.map(({ id }: { id: string }) => id)).toEqual(['early', 'late'])
    expect(body.due[0]).toEqual({ at: '2026-01-01T00:00:01.5Z', kind: 'garden.note', id: 'early' })
    const short = await plane.ask('GET', '/worlds/default/clock/due?limit=1')
    expect([short.body.due.length, short.body.total]).toEqual([1, 2])
    expect((await plane.ask('GET', '/clock/due?limit=-1')).status).toBe(400)
  })

  test('is set to another mode and time', async () => {
    const { ask, world } = await control()
    const scaled = await ask('PUT', '/clock', {
      mode: 'scaled',
      rate: 60,
      at: '2027-01-01T00:00:00Z',
    })
    expect(scaled.status).toBe(200)
    expect(scaled.body).toMatchObject({ mode: 'scaled', rate: 60, next: null })
    expect(scaled.body.now).toMatch(/^2027-01-01T00:0/)
    const frozen = await ask('PUT', '/clock', { mode: 'frozen', at: '2026-02-03T04:05:06.789Z' })
    expect(frozen.body).toEqual({ mode: 'frozen', now: '2026-02-03T04:05:06.789Z', next: null })
    const real = await ask('PUT', '/clock', { mode: 'real' })
    expect(real.body).toMatchObject({ mode: 'real', offset: 0 })
    expect(world.clock.state).toEqual({ mode: 'real', offset: 0 })
  })

  test('runs due jobs when it is set forward', async () => {
    const plane = await control()
    schedule(plane, 1000, 'note', 'n')
    await plane.ask('PUT', '/clock', { mode: 'frozen', at: '2026-01-01T00:00:01Z' })
    expect(plane.world.table(notes).size).toBe(1)
  })

  const time = '/at must be an RFC 3339 time from 1970 to 9999, as 2026-01-02T03:04:05Z'
  // choice/process#clock-back
  test.each([
    [{}, ['/mode is missing']],
    [{ mode: 'slow' }, ['/mode has the unknown value "slow"']],
    [{ mode: 'real', at: '2026-01-01T00:00:00Z' }, ['/at is unknown']],
    [{ mode: 'scaled' }, ['/rate is missing']],
    [{ mode: 'scaled', rate: 0 }, ['/rate must be > 0']],
    [{ mode: 'scaled', rate: '2' }, ['/rate must be number']],
    [{ mode: 'frozen', at: 5 }, ['/at must be string']],
    [{ mode: 'frozen', at: '2026-01-01' }, [time]],
    [{ mode: 'frozen', at: '1969-12-31T23:59:59Z' }, [time]],
    [{ mode: 'frozen', at: '9999-12-31T23:59:59-01:00' }, [time]],
  ])('cannot be set to %j', async (setting, lines) => {
    const { ask, world } = await control()
    const reply = await ask('PUT', '/clock', setting)
    expect([reply.status, reply.body]).toEqual([400, mistakes(...lines)])
    expect(world.clock.state).toEqual({ mode: 'frozen', at: start })
  })

  // choice/process#clock-precision
  test('is advanced by a duration or milliseconds and returns the jobs that ran', async () => {
    const plane = await control()
    schedule(plane, 90_000, 'note', 'b')
    schedule(plane, 60_000, 'note', 'a')
    const reply = await plane.ask('POST', '/clock/advance', { by: '1m30s' })
    expect(reply.status).toBe(200)
    expect(reply.body).toEqual({
      now: '2026-01-01T00:01:30Z',
      fired: [
        { at: '2026-01-01T00:01:00Z', kind: 'garden.note', id: 'a' },
        { at: '2026-01-01T00:01:30Z', kind: 'garden.note', id: 'b' },
      ],
    })
    const now = async (by: unknown) =>
      (await plane.ask('POST', '/clock/advance', { by })).body.now as string
    expect(await now(250)).toBe('2026-01-01T00:01:30.25Z')
    expect(await now(0)).toBe('2026-01-01T00:01:30.25Z')
    expect(await now('0')).toBe('2026-01-01T00:01:30.25Z')
    // Fractions of a millisecond are rounded up: instants are integers.
    expect(await now('10us')).toBe('2026-01-01T00:01:30.251Z')
  })

  // choice/process#clock-back
  test.each([
    [{}, '/by is missing'],
    [{ by: -1 }, '/by must be >= 0'],
    [{ by: '-1s' }, '/by must not be negative'],
    [{ by: 'soon' }, '/by is not a Go duration: time: invalid duration "soon"'],
    [{ by: '5' }, '/by is not a Go duration: time: missing unit in duration "5"'],
    [{ by: '1d' }, '/by is not a Go duration: time: unknown unit "d" in duration "1d"'],
    [{ by: 1e15 }, '/by leads beyond the year 9999'],
    [{ by: null }, '/by must be string or number'],
    [{ by: '1s', after: 1 }, '/after is unknown'],
  ])('cannot be advanced by %j', async (body, line) => {
    const { ask, world } = await control()
    const reply = await ask('POST', '/clock/advance', body)
    expect([reply.status, reply.body]).toEqual([400, mistakes(line)])
    expect(world.clock.now()).toBe(start)
  })
})

describe('behaviour/program#fresh-world: world options', () => {
  const journal = { journalSize: 1000, journalBodies: true, redact: [], traceLimit: 64_000_000 }
  const defaults = { garden: { soil: 'clay', depth: 3 }, pond: {}, control: journal }

  test('are shown with every default, and changed by name', async () => {
    const { ask } = await control()
    const shown = await ask('GET', '/options')
    expect([shown.status, shown.body]).toEqual([200, defaults])
    const changed = { ...defaults, garden: { soil: 'sand', depth: 3 } }
    const reply = await ask('PATCH', '/options', { garden: { soil: 'sand' } })
    expect([reply.status, reply.body]).toEqual([200, changed])
    expect((await ask('GET', '/options')).body).toEqual(changed)
    expect((await ask('PATCH', '/options', {})).body).toEqual(changed)
  })

  test('are part of the state', async () => {
    const { ask } = await control()
    const { id } = (await ask('POST', '/snapshots')).body
    await ask('PATCH', '/options', { garden: { depth: 4 } })
    expect((await ask('GET', '/state')).body.options.garden).toEqual({ soil: 'clay', depth: 4 })
    await ask('POST', `/snapshots/${id}/restore`)
    expect((await ask('GET', '/options')).body).toEqual(defaults)
  })

  test.each([
    [{ garden: { soil: 'mud' } }, ['/garden/soil must be one of "clay", "sand"']],
    [{ garden: { depth: '4' } }, ['/garden/depth must be integer']],
    [
      { garden: { colour: 'red', depth: -1 }, pond: { x: 1 } },
      ['/garden/colour is unknown', '/garden/depth must be >= 0', '/pond/x is unknown'],
    ],
    [{ lake: {} }, ['/lake is unknown; known are garden, pond, control']],
    [{ garden: null }, ['/garden must be object']],
    [[], ['body must be object']],
  ])('are all refused if one is invalid: %j', async (body, lines) => {
    const { ask } = await control()
    const reply = await ask('PATCH', '/options', body)
    expect([reply.status, reply.body]).toEqual([400, mistakes(...lines)])
    expect((await ask('GET', '/options')).body).toEqual(defaults)
  })
})

describe('behaviour/program#control-plane: transitions', () => {
  const oak = { id: 'oak', state: 'growing', to: ['cut', 'removed'] }
  const gate = {
    kind: 'garden.gate',
    summary: 'The gate.',
    targets: ['open', 'shut'],
    pace: 'manual',
    items: [{ id: 'self', state: 'open', to: ['shut'] }],
  }
  const plant = {
    kind: 'garden.plant',
    summary: 'Plants that grow and are cut.',
    targets: ['growing', 'cut', 'removed'],
    takes: {
      cut: {
        type: 'object',
        additionalProperties: false,
        properties: { height: { type: 'integer' } },
      },
    },
    pace: { after: '2s' },
    items: [oak],
  }

  test('are listed with their timing, and with the targets of each object', async () => {
    const { ask } = await control()
    const reply = await ask('GET', '/transitions')
    expect([reply.status, reply.body]).toEqual([200, { kinds: [gate, plant] }])
  })

  test('keep another timing until a reset', async () => {
    const { ask } = await control()
    for (const pace of ['immediate', 'manual', { after: '1h' }] as const) {
      const reply = await ask('PUT', '/transitions', { 'garden.plant': pace })
      expect([reply.status, reply.body]).toEqual([200, { kinds: [gate, { ...plant, pace }] }])
    }
    await ask('PUT', '/transitions', { 'garden.gate': 'manual' })
    expect((await ask('GET', '/transitions')).body.kinds[1].pace).toEqual({ after: '1h' })
    await ask('POST', '/reset', { what: ['transitions'] })
    expect((await ask('GET', '/transitions')).body).toEqual({ kinds: [gate, plant] })
  })

  test.each([
    [{ 'garden.tree': 'manual' }, ['/garden.tree is unknown; known are garden.gate, garden.plant']],
    [
      { 'garden.gate': 'immediate' },
      ['/garden.gate never moves by itself, so it can only be manual'],
    ],
    [
      { 'garden.plant': { after: '2 s' } },
      ['/garden.plant/after is not a Go duration: time: unknown unit " s" in duration "2 s"'],
    ],
    [{ 'garden.plant': { after: '-2s' } }, ['/garden.plant/after must not be negative']],
    [
      { 'garden.plant': { after: '2s', x: 1 } },
      ['/garden.plant must be one of "immediate", "manual"', '/garden.plant/x is unknown'],
    ],
  ])('keep their timing if one is refused: %j', async (paces, lines) => {
    const { ask } = await control()
    const reply = await ask('PUT', '/transitions', { ...paces })
    expect([reply.status, reply.body]).toEqual([400, mistakes(...lines)])
    expect((await ask('GET', '/transitions')).body).toEqual({ kinds: [gate, plant] })
  })

  test('are forced, with additional members', async () => {
    const { ask, world } = await control()
    const cut = await ask('POST', '/transitions/garden.plant/oak', { to: 'cut', height: 1 })
    expect(cut.status).toBe(200)
    expect(cut.body).toEqual({
      kind: 'garden.plant',
      id: 'oak',
      item: { id: 'oak', state: 'cut', to: ['growing', 'removed'] },
    })
    expect(world.table(plants).get('oak')).toMatchObject({ state: 'cut', height: 1 })
    const removed = await ask('POST', '/transitions/garden.plant/oak', { to: 'removed' })
    expect(removed.body).toEqual({ kind: 'garden.plant', id: 'oak', item: null })
  })

  test('are forced by ids with slashes, which need no encoding', async () => {
    const { ask } = await control()
    for (const id of ['row/oak', 'row%2Foak']) {
      const reply = await ask('POST', `/transitions/garden.plant/${id}`, { to: 'cut', height: 1 })
      expect([reply.status, reply.body.detail]).toEqual([404, 'there is no plant "row/oak"'])
    }
  })

  test.each([
    [
      '/garden.tree/oak',
      { to: 'cut' },
      problem(404, 'Not Found', 'there is no kind of transition "garden.tree"'),
    ],
    ['/garden.plant/elm', { to: 'cut' }, problem(404, 'Not Found', 'there is no plant "elm"')],
    [
      '/garden.plant/oak',
      { to: 'growing' },
      problem(409, 'Conflict', 'the plant "oak" is growing already'),
    ],
    [
      '/garden.plant/oak',
      { to: 'dead' },
      mistakes('/to must be one of growing, cut, removed for a garden.plant'),
    ],
    ['/garden.plant/oak', {}, mistakes('/to is missing')],
    [
      '/garden.plant/oak',
      { to: 'cut', hight: 1 },
      mistakes('/hight is unknown; did you mean height?'),
    ],
    ['/garden.plant/oak', { to: 'cut', height: 'x' }, mistakes('/height must be integer')],
    ['/garden.plant/oak', { to: 'removed', height: 1 }, mistakes('/height is unknown')],
    ['/garden.gate/self', { to: 'shut', slowly: true }, mistakes('/slowly is unknown')],
  ])('are not forced: %s %j', async (path, body, expected) => {
    const { ask } = await control()
    const before = (await ask('GET', '/state')).text
    const reply = await ask('POST', `/transitions${path}`, body)
    expect([reply.status, reply.body]).toEqual([expected.status, expected])
    expect((await ask('GET', '/state')).text).toBe(before)
  })
})

// behaviour/program#bounds
test('a call waits for jobs that are due, which run in turns', async () => {
  const plane = await control()
  const { ask, world } = plane
  for (let at = 0; at < 50; at += 1) schedule(plane, 0, 'note', String(at))
  slowClock(6)
  const turns = await countTurns(() => ask('GET', '/worlds/default/clock'))
  expect(world.table(notes).size).toBe(50)
  expect(turns).toBeGreaterThan(10)
})
