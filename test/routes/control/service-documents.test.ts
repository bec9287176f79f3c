import { describe, expect, onTestFinished, test } from 'vitest'
import { createUnderstudy } from '../../../src/index.ts'
import { faultsOf, methodsOf, type OpenApiDocument } from '../../support/openapi.ts'

const dialects = ['neutral', 'vendor'] as const
const names = ['secrets', 'platform', 'mesh', 'scheduler'] as const

interface Described {
  readonly operationId: string
  readonly 'x-access'?: string
  readonly requestBody?: object
}

async function server(dialect: 'neutral' | 'vendor') {
  const running = await createUnderstudy({ dialect, log: false })
  onTestFinished(() => running.close())
  return running
}

/** The operations of a document by their ids. */
function operationsOf(document: OpenApiDocument): Map<string, Described> {
  const all = Object.values(document.paths).flatMap((path) =>
    methodsOf(path).map((method) => path[method] as Described),
  )
  return new Map(all.map((one) => [one.operationId, one]))
}

describe.each(dialects)('DESIGN section 7: documents of the APIs in the dialect %s', (dialect) => {
  test.each(names)('that of %s is valid and has every operation by its id', async (name) => {
    const running = await server(dialect)
    const reply = await running.inject(`/_mock/openapi/${name}`)
    expect(reply.statusCode).toBe(200)
    const document = reply.json<OpenApiDocument>()
    expect(await faultsOf(document)).toEqual([])
    const [service] = running.coverage(name).services
    const ids = new Set(service?.operations.map(({ id }) => id))
    expect([...operationsOf(document).keys()].sort()).toEqual([...ids].sort())
  })
})

describe('DESIGN section 7: what the documents say', () => {
  test('names differ between the dialects', async () => {
    const [neutral, vendor] = await Promise.all(dialects.map(server))
    for (const name of names) {
      const [ours, theirs] = [neutral?.openApi(name), vendor?.openApi(name)]
      expect([name, JSON.stringify(ours) === JSON.stringify(theirs)]).toEqual([name, false])
    }
  })

  test('an API that there is not has none', async () => {
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

  test.each(names)('who may ask for each operation of %s, as the ledger does', async (name) => {
    const running = await server('neutral')
    const document = running.openApi(name) as unknown as OpenApiDocument
    const told = [...operationsOf(document)].map(([id, each]) => [id, each['x-access']])
    const [service] = running.coverage(name).services
    const listed = new Map(service?.operations.map(({ id, access }) => [id, access]))
    expect(new Map(told as [string, string][])).toEqual(listed)
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
  ] as const)('in %s %s takes: %s', async (name, id, access) => {
    const running = await server('neutral')
    const document = running.openApi(name) as unknown as OpenApiDocument
    expect(operationsOf(document).get(id)).toMatchObject({ 'x-access': access })
  })

  test('every operation that writes declares its body, or that it passes over any', async () => {
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
