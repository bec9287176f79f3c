import { describe, expect, onTestFinished, test } from 'vitest'
import { createUnderstudy } from '../../../../src/embedding/index.ts'
import {
  methodsOf,
  type OpenApiDocument,
  validationErrors,
} from '../../../support/openapi/openapi.ts'

const dialects = ['neutral', 'vendor'] as const
const names = ['secrets', 'platform', 'mesh', 'scheduler'] as const

interface Described {
  readonly operationId: string
  readonly responses: object
  readonly 'x-access'?: string
  readonly requestBody?: object
}

async function server(dialect: 'neutral' | 'vendor') {
  const running = await createUnderstudy({ dialect, log: false })
  onTestFinished(() => running.close())
  return running
}

/** Returns the operations of a document by their ids. */
function operationsOf(document: OpenApiDocument): Map<string, Described> {
  const all = Object.values(document.paths).flatMap((path) =>
    methodsOf(path).map((method) => path[method] as Described),
  )
  return new Map(all.map((one) => [one.operationId, one]))
}

describe.each(dialects)(
  'behaviour/program#control-plane: documents of the APIs in the dialect %s',
  (dialect) => {
    test.each(names)(
      'the document of %s is valid and lists every operation by its id',
      async (name) => {
        const running = await server(dialect)
        const reply = await running.inject(`/_mock/openapi/${name}`)
        expect(reply.statusCode).toBe(200)
        const document = reply.json<OpenApiDocument>()
        expect(await validationErrors(document)).toEqual([])
        const [service] = running.coverage(name).services
        const ids = new Set(service?.operations.map(({ id }) => id))
        expect([...operationsOf(document).keys()].sort()).toEqual([...ids].sort())
      },
    )
  },
)

describe('behaviour/program#control-plane: content of the documents', () => {
  test('names differ between the dialects', async () => {
    const [neutral, vendor] = await Promise.all(dialects.map(server))
    for (const name of names) {
      const [ours, theirs] = [neutral?.openApi(name), vendor?.openApi(name)]
      expect([name, JSON.stringify(ours) === JSON.stringify(theirs)]).toEqual([name, false])
    }
  })

  test('an unknown API has no document', async () => {
    const running = await server('neutral')
    const reply = await running.inject('/_mock/openapi/garden')
    expect([reply.statusCode, reply.json()]).toMatchObject([
      404,
      {
        type: 'about:blank',
        title: 'Not Found',
        status: 404,
        detail: 'there is no API called "garden"',
      },
    ])
    expect(running.openApi('garden')).toBeUndefined()
  })

  test.each(names)('the rights for each operation of %s agree with the ledger', async (name) => {
    const running = await server('neutral')
    const document = running.openApi(name) as unknown as OpenApiDocument
    const documented = [...operationsOf(document)].map(([id, each]) => [id, each['x-access']])
    const [service] = running.coverage(name).services
    const listed = new Map(service?.operations.map(({ id, access }) => [id, access]))
    expect(new Map(documented as [string, string][])).toEqual(listed)
    expect([...listed].filter(([, access]) => access === undefined)).toEqual([])
  })

  test.each([
    ['secrets', 'readHealth', 'anyone'],
    ['secrets', 'lookUpOwnToken', 'capability:update'],
    ['secrets', 'startRekey', 'capability:update; anyone with the option rekeyWithoutToken'],
    ['secrets', 'generateDrPublicKey', 'capability:update; anyone on a DR secondary'],
    ['platform', 'ping', 'anyone'],
    ['platform', 'createOrganization', 'token'],
    ['platform', 'readGeneralSettings', 'token of a site admin'],
    ['mesh', 'putKey', 'key:write'],
    ['scheduler', 'stopJob', 'namespace:submit-job'],
  ] as const)('in %s %s accepts: %s', async (name, id, access) => {
    const running = await server('neutral')
    const document = running.openApi(name) as unknown as OpenApiDocument
    expect(operationsOf(document).get(id)).toMatchObject({ 'x-access': access })
  })

  // Test servers compare each failure with the documents (test/support/openapi/documented.ts).
  test.each([
    ['secrets', 'readMountTuning', [400, 403, 404, 503]],
    ['secrets', 'enableDrSecondary', [400, 403, 404, 500, 502, 503]],
    ['secrets', 'unseal', [400, 404, 405]],
    ['platform', 'ping', [429]],
    ['platform', 'listOrganizations', [400, 401, 429]],
    ['platform', 'cancelTestRun', [401, 404, 409, 415, 429]],
    ['platform', 'changeSmtpSettings', [401, 404, 415, 422, 429, 500, 504]],
    ['mesh', 'readLeader', [400, 500]],
    ['mesh', 'putKey', [400, 403, 413, 500]],
    ['mesh', 'deleteAclPolicy', [400, 401, 403, 404, 500]],
    ['scheduler', 'readOwnJobAclToken', [400, 403, 404, 500]],
  ] as const)('failures of %s %s have the statuses %j', async (name, id, statuses) => {
    const running = await server('neutral')
    const document = running.openApi(name) as unknown as OpenApiDocument
    const { responses = {} } = operationsOf(document).get(id) ?? {}
    const documented = Object.keys(responses).map(Number)
    expect(documented.filter((status) => status >= 400)).toEqual(statuses)
    expect(responses).toHaveProperty('default')
  })

  test('every writing operation declares its body, or that it ignores any', async () => {
    const running = await server('neutral')
    const missing = names.flatMap((name) => {
      const document = running.openApi(name)
      if (document === undefined) throw new Error(`${name} has no document`)
      const paths = Object.values((document as unknown as OpenApiDocument).paths)
      return paths.flatMap((path) =>
        ['put', 'post', 'patch'].flatMap((method) => {
          const described = path[method] as Described | undefined
          const isSaid = described === undefined || described.requestBody !== undefined
          return isSaid ? [] : [described.operationId]
        }),
      )
    })
    expect(missing).toEqual([])
  })
})
