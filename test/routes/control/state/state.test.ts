import { describe, expect, test } from 'vitest'
import {
  checkDocument,
  checkOptions,
  DocumentError,
} from '../../../../routes/control/state/documents.ts'
import { meshService } from '../../../../state/mesh/service.ts'
import { platformService } from '../../../../state/platform/service.ts'
import { schedulerService } from '../../../../state/scheduler/service.ts'
import { secretsService } from '../../../../state/secrets/service.ts'
import { control, problem } from '../../../support/control.ts'
import { fish, notes, plants, services, start, testWorld } from '../../../support/kernel.ts'

/** Returns the lines of a document's refusal; empty if it is accepted. */
function problemsOf(check: () => unknown): readonly string[] {
  try {
    check()
    return []
  } catch (error) {
    if (error instanceof DocumentError) return error.problems
    throw error
  }
}

const documentProblems = (document: unknown) => problemsOf(() => checkDocument(services, document))

describe('behaviour/program#control-plane: export and import', () => {
  test('export, import and export give the same bytes, in this process and in another', async () => {
    const source = await control()
    const { ask, world } = source
    world.write(() => {
      world.table(notes).put('__proto__', { text: 'ü \u2028 "' })
      world.table(notes).put('10', { text: '' })
      world.table(fish).put('9', { name: 'carp' })
      world.agenda.schedule({ at: start + 1, job: 'garden.note', id: 'a/b' })
    })
    await ask('PUT', '/transitions', { 'garden.plant': 'manual' })
    await ask('PATCH', '/options', { garden: { soil: 'sand' } })
    const exported = await ask('GET', '/state')
    expect(exported.status).toBe(200)

    await ask('POST', '/reset')
    const imported = await ask('PUT', '/state', exported.text)
    expect([imported.status, imported.text]).toEqual([204, ''])
    expect((await ask('GET', '/state')).text).toBe(exported.text)

    const other = await control({}, { seed: 'other', clock: { mode: 'real' } })
    await other.ask('PUT', '/state', exported.text)
    expect((await other.ask('GET', '/state')).text).toBe(exported.text)
    expect(other.world.table(notes).get('__proto__')).toEqual({ text: 'ü \u2028 "' })
  })

  test('an exported document is valid', async () => {
    const { ask } = await control()
    const { body } = await ask('GET', '/state')
    expect(documentProblems(body)).toEqual([])
    expect(checkDocument(services, body)).toBe(body)
  })

  test("one service's part is exported separately", async () => {
    const { ask } = await control()
    const { body } = await ask('GET', '/state')
    const part = await ask('GET', '/state/garden')
    expect([part.status, part.body]).toEqual([200, body.garden])
    const absent = await ask('GET', '/state/lake')
    expect(absent.status).toBe(404)
    expect(absent.body).toEqual(problem(404, 'Not Found', 'there is no service "lake"'))
  })

  test('a part of a document is accepted, short forms included', async () => {
    const { ask, world } = await control()
    const reply = await ask('PUT', '/state', {
      options: { garden: { depth: 6 } },
      garden: { heights: { elm: 4 } },
    })
    expect(reply.status).toBe(204)
    expect(world.table(plants).get('oak')?.height).toBe(6)
    expect(world.table(plants).get('elm')?.height).toBe(4)
  })

  test.each([
    ['is wrong', { garden: { tables: { notes: { n: { txt: 1 } } } } }, 400],
    ['cannot be loaded', { garden: { heights: { elm: 1, weed: 1 } } }, 400],
    ['is not an object', [], 400],
    ['is not JSON', '{', 400],
  ])('a document that %s changes nothing', async (_, document, status) => {
    const { ask } = await control()
    const before = (await ask('GET', '/state')).text
    expect((await ask('PUT', '/state', document)).status).toBe(status)
    expect((await ask('GET', '/state')).text).toBe(before)
  })

  test('a refusal names every mistake', async () => {
    const { ask } = await control()
    const reply = await ask('PUT', '/state', { garden: { heights: { elm: 'x' } }, lake: {} })
    const lines = [
      '/garden/heights/elm must be number',
      '/lake is unknown; known are format, world, options, garden, pond',
    ]
    expect([reply.status, reply.body]).toEqual([
      400,
      problem(400, 'Bad Request', lines.join('; '), lines),
    ])
  })
})

/** Tables that earlier releases exported; their content is derived now. */
const earlierTables = {
  world: ['agenda-names', 'agenda-count'],
  secrets: ['token-accessors', 'token-children', 'token-leases', 'held-leases'],
  platform: [
    'usernames',
    'team-names',
    'token-texts',
    'token-owners',
    'oauth-client-keys',
    'module-keys',
    'variable-keys',
    'configuration-version-keys',
    'uploaded-versions',
    'test-run-keys',
    'open-test-runs',
  ],
  mesh: ['acl-policy-names', 'acl-role-names', 'acl-token-places', 'acl-token-secrets'],
  scheduler: [
    'acl-token-secrets',
    'active-deployments',
    'blocked-evaluations',
    'counted-allocations',
    'dispatch-tokens',
    'evaluation-allocations',
    'held-step-keys',
    'job-allocations',
    'job-changes',
    'job-children',
    'job-deployments',
    'job-evaluations',
    'node-allocations',
    'open-allocations',
    'open-evaluations',
    'placed-allocations',
  ],
}

describe('behaviour/program#fresh-world: valid and invalid state documents', () => {
  test('documents of earlier releases with tables that are derived now are accepted', () => {
    const document = Object.fromEntries(
      Object.entries(earlierTables).map(([part, names]) => [
        part,
        { tables: Object.fromEntries(names.map((name) => [name, { key: 'any row' }])) },
      ]),
    )
    const all = [secretsService, platformService, meshService, schedulerService]
    expect(problemsOf(() => checkDocument(all, document))).toEqual([])
  })

  test('behaviour/program#bounds: of 20,000 mistakes the first thousand are reported', async () => {
    const { ask } = await control()
    const names = Array.from({ length: 20_000 }, (_, n) => [`member${n}`, n] as const)
    const { status, body } = await ask('PUT', '/state', Object.fromEntries(names))
    expect([status, body.problems.length]).toEqual([400, 1001])
    expect(body.problems[0]).toContain('/member0 is unknown')
    expect(body.problems[1000]).toBe('19000 more mistakes')
  })

  const scheduledJob = { at: 1, job: 'garden.note', id: 'n' }
  test.each<[unknown, string[]]>([
    [{}, []],
    [null, ['the document must be object']],
    [[], ['the document must be object']],
    [{ garden: 1, options: [] }, ['/garden must be object', '/options must be object']],
    [{ garden: { bench: {} } }, ['/garden/bench is unknown; known are tables, heights']],
    [
      { garden: { tables: { trees: {} } } },
      ['/garden/tables/trees is unknown; known are plants, notes'],
    ],
    [{ garden: { tables: [] } }, ['/garden/tables must be object']],
    [{ garden: { tables: { notes: [] } } }, ['/garden/tables/notes must be object']],
    [
      { garden: { tables: { notes: { 'a/b': { text: 1 }, c: 'x' } } } },
      ['/garden/tables/notes/a~1b/text must be string', '/garden/tables/notes/c must be object'],
    ],
    [{ garden: { heights: { elm: -1 } } }, ['/garden/heights/elm must be >= 0']],
    [{ toString: {} }, ['/toString is unknown; known are format, world, options, garden, pond']],
    [
      { garden: { constructor: {} } },
      ['/garden/constructor is unknown; known are tables, heights'],
    ],
    [{ options: { garden: { soil: 1 } } }, ['/options/garden/soil must be one of "clay", "sand"']],
    [{ world: { clock: { mode: 'real', offset: 5 }, ids: [1, -2, 3, 4], sequence: 3 } }, []],
    [{ world: { clock: { mode: 'frozen' } } }, ['/world/clock/at is missing']],
    [
      { world: { clock: { mode: 'scaled', rate: 0, from: 1, since: 1 } } },
      ['/world/clock/rate must be > 0'],
    ],
    [
      { world: { clock: { mode: 'scaled', rate: 1e308, from: 1, since: 1 } } },
      ['/world/clock/rate must be <= 1000000'],
    ],
    [
      { world: { clock: { mode: 'frozen', at: 253_402_300_800_000 } } },
      ['/world/clock/at must be <= 253402300799999'],
    ],
    [
      { world: { clock: { mode: 'real', offset: -1e300 } } },
      ['/world/clock/offset must be >= -253402300799999'],
    ],
    [{ world: { ids: [1, 2, 3] } }, ['/world/ids must NOT have fewer than 4 items']],
    [{ world: { ids: [1, 2, 3, 2 ** 31] } }, ['/world/ids/3 must be <= 2147483647']],
    [
      { world: { indexes: { garden: 1, lake: 1 } } },
      ['/world/indexes/lake is unknown; known are garden, pond'],
    ],
    [{ world: { indexes: { garden: -1 } } }, ['/world/indexes/garden must be >= 0']],
    [{ world: { time: 1 } }, ['/world/time is unknown']],
    [
      { world: { tables: { options: {} } } },
      ['/world/tables/options is unknown; known are agenda, transitions'],
    ],
    [
      { world: { tables: { transitions: { 'garden.plant': { pace: 'slow' } } } } },
      ['/world/tables/transitions/garden.plant/pace must be one of "immediate", "manual"'],
    ],
    [{ world: { tables: { agenda: { k: scheduledJob } } } }, []],
    // Scheduled jobs now hold the values that earlier versions kept in tables.
    [
      {
        world: { tables: { agenda: { k: scheduledJob }, 'agenda-names': { x: { key: 'gone' } } } },
      },
      [],
    ],
    [
      { world: { tables: { agenda: { k: scheduledJob }, 'agenda-count': { '': { count: 1 } } } } },
      [],
    ],
    [
      { world: { tables: { agenda: { k: scheduledJob, l: scheduledJob } } } },
      ['/world/tables/agenda/l has the same place as /world/tables/agenda/k: byName garden.note/n'],
    ],
    [
      { world: { tables: { agenda: { k: { ...scheduledJob, job: 'garden.dig' } } } } },
      ['/world/tables/agenda/k/job is unknown'],
    ],
  ])('%j', (document, lines) => {
    expect(documentProblems(document)).toEqual(lines)
  })

  test('members called __proto__ are reported', () => {
    expect(documentProblems(JSON.parse('{"__proto__": {}}'))).toEqual([
      '/__proto__ is unknown; known are format, world, options, garden, pond',
    ])
  })

  test('very many mistakes are all listed, and the message has the first fifty', () => {
    const rows = Array.from({ length: 60 }, (_, n) => [`n${n}`, 1])
    const document = { garden: { tables: { notes: Object.fromEntries(rows) } } }
    const lines = documentProblems(document)
    expect([lines.length, lines[0], lines.at(-1)]).toEqual([
      60,
      '/garden/tables/notes/n0 must be object',
      '/garden/tables/notes/n59 must be object',
    ])
    expect(() => checkDocument(services, document)).toThrow(/n49 must be object; and 10 more$/)
  })

  test('a document with only options is validated in the same way', () => {
    expect(checkOptions(services, { garden: { depth: 1 } })).toEqual({ garden: { depth: 1 } })
    expect(problemsOf(() => checkOptions(services, 'x'))).toEqual(['the options must be object'])
    expect(problemsOf(() => checkOptions(services, { lake: {} }))).toEqual([
      '/lake is unknown; known are garden, pond, control',
    ])
  })

  test('a valid document creates a world', () => {
    const document = checkDocument(services, { garden: { heights: { elm: 4 } } })
    expect(testWorld({ document }).table(plants).get('elm')?.height).toBe(4)
  })
})
