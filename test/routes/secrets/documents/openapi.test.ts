import { describe, expect, test } from 'vitest'
import { createRouter } from '../../../../routes/http/router/router.ts'
import { secretsEngines } from '../../../../routes/secrets/engines.ts'
import type { Verb } from '../../../../routes/secrets/operation.ts'
import {
  methodsOf,
  type OpenApiDocument,
  validationErrors,
} from '../../../support/openapi/openapi.ts'
import { everyEngine, type SecretsClient, servedSecrets } from '../../../support/secrets/secrets.ts'
import { declaredOperations, pathOf } from '../declared-operations.ts'

const query = { help: '1' }

/** Returns the document in the help on a path. */
async function documentOf(secrets: SecretsClient, path: string): Promise<OpenApiDocument> {
  const { status, body } = await secrets.get(path, { query })
  expect([path, status]).toEqual([path, 200])
  return body.openapi
}

/** The method of each verb in a document. */
const methodOf: Readonly<Record<Verb, string>> = {
  read: 'get',
  list: 'get',
  write: 'post',
  patch: 'patch',
  delete: 'delete',
}

const declared = declaredOperations()
const places = secretsEngines.flatMap((engine) => {
  const router = createRouter(engine.operations, engine.order ?? 'mounts', ({ verb }) => verb)
  return router.routes.flatMap((place) => {
    const one = declared.find(({ operation }) => operation === place.first)
    return one === undefined ? [] : [{ ...one, router, place }]
  })
})

describe('behaviour/secrets#api-help: every declared path has its document', () => {
  test.each(
    places.map((declared) => [`${declared.mountedAt}${declared.place.path}`, declared] as const),
  )('%s', async (_name, declared) => {
    const { secrets } = await servedSecrets({ document: everyEngine })
    const path = pathOf(declared)
    const document = await documentOf(secrets, path)
    const operations = [...declared.place.operations.values()]
    const methods = operations.map(({ verb }) => methodOf[verb])
    expect(new Set(methodsOf(document.paths['/']))).toEqual(new Set(methods))
    const text = (await secrets.get(path, { query })).body.help
    for (const { summary } of operations) expect(text).toContain(summary)
    // Every path of the document routes to operations with these methods.
    for (const [relative, item] of Object.entries(document.paths)) {
      const below = relative === '/' ? '' : relative.replaceAll(/\{\w+\}/g, 'x')
      const whole = (path + below).slice(declared.mountedAt.length)
      const found = [...(declared.router.find(whole, '')?.route.operations.values() ?? [])]
      const routed = new Set(found.map(({ verb }) => methodOf[verb]))
      expect([relative, new Set(methodsOf(item))]).toEqual([relative, routed])
    }
  })
})

describe('behaviour/secrets#api-help: the documents of all paths', () => {
  // The validator compiles its schema for each document, so one document gets all their paths.
  test('are valid together, and have equal heads and equal schemas of one name', async () => {
    const { secrets } = await servedSecrets({ document: everyEngine })
    const paths: Record<string, OpenApiDocument['paths'][string]> = {}
    const schemas: Record<string, object> = {}
    const heads = new Set<string>()
    let whole: OpenApiDocument | undefined
    for (const declared of places) {
      const path = pathOf(declared)
      const document = await documentOf(secrets, path)
      const { paths: found, components, ...head } = document
      expect(Object.keys(found)).toContain('/')
      heads.add(JSON.stringify(head))
      // Items below the path are items of other places, with equal ids.
      paths[`/${path}`] = found['/'] ?? {}
      const ids = JSON.stringify(found).match(/"operationId":"[^"]+"/g) ?? []
      expect(new Set(ids).size).toBe(ids.length)
      for (const [name, schema] of Object.entries(components.schemas ?? {})) {
        expect([name, schemas[name] ?? schema]).toEqual([name, schema])
        schemas[name] = schema
      }
      whole = { ...document, paths, components: { ...components, schemas } }
    }
    expect(heads.size).toBe(1)
    expect(whole && (await validationErrors(whole))).toEqual([])
  })
})

describe('behaviour/secrets#api-help: the document of a mount', () => {
  test.each(secretsEngines.map(({ type, operations }) => [type, operations] as const))(
    'of %s is valid and has all its paths, from the mount',
    async (type, operations) => {
      const { secrets } = await servedSecrets({ document: everyEngine })
      const mount = places.find(({ engine }) => engine.type === type)?.mountedAt ?? ''
      const document = await documentOf(secrets, mount)
      expect(await validationErrors(document)).toEqual([])
      const patterns = operations.map(({ path }) => `/${path.replaceAll(/[:*](\w+)/g, '{$1}')}`)
      expect(Object.keys(document.paths).sort()).toEqual([...new Set(patterns)].sort())
    },
  )
})

describe('behaviour/secrets#help: content of the document', () => {
  // choice/secrets#openapi-operations choice/secrets#openapi-extras
  test('the document has a head, security and paths', async () => {
    const { secrets } = await servedSecrets()
    const document = await documentOf(secrets, 'secret/config')
    const { schemas, securitySchemes } = document.components
    expect({ ...document, components: { securitySchemes } }).toEqual({
      openapi: '3.0.2',
      info: {
        title: 'Secrets Management Service API',
        description:
          'HTTP API that gives full access to the Service. All routes begin with `/v1/`.',
        version: '1.14.0+ent',
        license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
      },
      security: [{ token: [] }],
      components: {
        securitySchemes: { token: { type: 'apiKey', in: 'header', name: 'X-Secrets-Token' } },
      },
      paths: {
        '/': {
          get: {
            operationId: 'secret-read-config',
            tags: ['secrets'],
            summary: 'Read the settings of the engine.',
            responses: {
              200: ok('SecretReadConfigResponse'),
              default: failure,
            },
          },
          post: {
            operationId: 'secret-write-config',
            tags: ['secrets'],
            summary: 'Change the given settings of the engine.',
            requestBody: {
              required: false,
              content: json('SecretWriteConfigRequest'),
            },
            responses: {
              204: { description: 'Done; the reply has no content.' },
              default: failure,
            },
          },
        },
      },
    })
    expect(schemas['SecretWriteConfigRequest']).toEqual({
      type: 'object',
      properties: {
        max_versions: { type: 'integer', description: expect.any(String) },
        cas_required: { type: 'boolean', description: expect.any(String) },
        delete_version_after: {
          oneOf: [
            { type: 'integer', format: 'seconds' },
            { type: 'string', format: 'duration' },
          ],
          description: expect.any(String),
        },
      },
    })
    expect(Object.keys(schemas)).toEqual([
      'Error',
      'SecretReadConfigResponse',
      'SecretWriteConfigRequest',
    ])
  })

  // choice/secrets#openapi-operations
  test('query parameters of a read, the bodies of a write and a patch', async () => {
    const { secrets } = await servedSecrets()
    const { paths, components } = await documentOf(secrets, 'secret')
    expect(paths['/data/{path}']).toMatchObject({
      parameters: [
        {
          name: 'path',
          in: 'path',
          required: true,
          description: 'The rest of the path; it may hold slashes',
          schema: { type: 'string' },
        },
      ],
      get: {
        parameters: [
          {
            name: 'version',
            in: 'query',
            description: 'Version to read; 0 means the latest',
            schema: { type: 'integer', default: 0 },
          },
        ],
        responses: {
          404: {
            description: 'Not done.',
            content: {
              'application/json': {
                schema: { anyOf: [refer('SecretReadDataPathResponse404'), refer('Error')] },
              },
            },
          },
        },
      },
      post: { requestBody: { required: true, content: json('SecretWriteDataPathRequest') } },
      patch: {
        requestBody: {
          required: true,
          content: {
            'application/merge-patch+json': { schema: refer('SecretPatchDataPathRequest') },
          },
        },
      },
    })
    expect(components.schemas['SecretWriteDataPathRequest']).toMatchObject({ required: ['data'] })
  })

  // choice/secrets#openapi-operations
  test('a list is a read with a parameter, shared with the read of the path', async () => {
    const { secrets } = await servedSecrets()
    const { paths } = await documentOf(secrets, 'secret')
    expect(paths['/metadata/{path}']?.['get']).toMatchObject({
      operationId: 'secret-read-metadata-path',
      description: 'With `list=true`: List the names in a folder.',
      parameters: [
        {
          name: 'list',
          in: 'query',
          description: 'Whether to list instead of read',
          schema: { type: 'string' },
        },
      ],
      responses: {
        200: {
          content: {
            'application/json': {
              schema: {
                anyOf: [refer('SecretReadMetadataPathResponse'), refer('KeysEnvelope')],
              },
            },
          },
        },
      },
    })
  })

  test('a path that is a list alone wants the parameter', async () => {
    const { secrets } = await servedSecrets()
    const { paths } = await documentOf(secrets, 'auth/token')
    expect(paths['/roles']?.['get']).toEqual({
      operationId: 'auth-token-list-roles',
      tags: ['auth'],
      summary: 'List the names of the token roles.',
      parameters: [
        {
          name: 'list',
          in: 'query',
          required: true,
          description: 'Must be `true`',
          schema: { type: 'string', enum: ['true'] },
        },
      ],
      responses: { 200: ok('KeysEnvelope'), default: failure },
    })
  })

  test('parameters are any keys, names, and members of the path that no body has', async () => {
    const { secrets } = await servedSecrets()
    const kv = await documentOf(secrets, 'kv')
    expect(kv.components.schemas['KvWritePathRequest']).toEqual({
      type: 'object',
      additionalProperties: true,
    })
    const { paths, components } = await documentOf(secrets, 'auth/token')
    expect(paths['/roles/{name}']?.['parameters']).toEqual([
      {
        name: 'name',
        in: 'path',
        required: true,
        description: 'One name of the path',
        schema: { type: 'string', pattern: '^\\w(?:[\\w.-]*\\w)?$' },
      },
    ])
    expect(components.schemas['AuthTokenWriteCreateRequest']).toMatchObject({
      properties: {
        policies: { type: 'array', items: { type: 'string' } },
        meta: { type: 'object', additionalProperties: { type: 'string' } },
        type: { type: 'string' },
      },
    })
  })

  // choice/secrets#openapi-extras
  test('paths that need sudo, and operations that need no token', async () => {
    const { secrets } = await servedSecrets()
    const { paths } = await documentOf(secrets, 'sys')
    expect(paths['/rotate']?.['x-secrets-sudo']).toBe(true)
    expect(paths['/mounts']?.['x-secrets-sudo']).toBeUndefined()
    expect(paths['/seal-status']).toMatchObject({
      'x-secrets-unauthenticated': true,
      get: { security: [] },
    })
    expect(paths['/mounts']?.['x-secrets-unauthenticated']).toBeUndefined()
    expect(Object.keys(paths['/mounts']?.['get'] ?? {})).not.toContain('security')
  })

  test('health has a reply for each condition, and for any other status', async () => {
    const { secrets } = await servedSecrets()
    const { paths } = await documentOf(secrets, 'sys/health')
    const get = paths['/']?.['get']
    expect(get).toMatchObject({
      responses: {
        default: {
          content: {
            'application/json': {
              schema: { anyOf: [refer('SysReadHealthResponse'), refer('Error')] },
            },
          },
        },
      },
    })
  })

  test('ids are unique where two mounts have the same words', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('sys/mounts/a-b', { type: 'kv' })
    await secrets.post('sys/mounts/a/b', { type: 'kv' })
    const { paths } = await documentOf(secrets, '')
    expect([paths['/a-b/{path}']?.['get'], paths['/a/b/{path}']?.['get']]).toMatchObject([
      { operationId: 'a-b-read-path' },
      { operationId: 'a-b-read-path-2' },
    ])
  })

  // choice/secrets#openapi-extras
  test('the version is that of the option', async () => {
    const { secrets } = await servedSecrets({ secrets: { version: '1.99.0' } })
    expect((await documentOf(secrets, 'kv')).info.version).toBe('1.99.0')
  })

  // choice/secrets#openapi-extras
  test('in the vendor dialect names and texts are the vendor’s', async () => {
    const { secrets } = await servedSecrets({ dialect: 'vendor' })
    const document = await documentOf(secrets, 'sys')
    expect(await validationErrors(document)).toEqual([])
    expect([document.info, document.components.securitySchemes]).toEqual([
      {
        title: 'HashiCorp Vault API',
        description: 'HTTP API that gives full access to Vault. All routes begin with `/v1/`.',
        version: '1.14.0+ent',
        license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
      },
      { token: { type: 'apiKey', in: 'header', name: 'X-Vault-Token' } },
    ])
    expect(document.paths['/rotate']?.['x-vault-sudo']).toBe(true)
    expect(document.paths['/seal-status']?.['x-vault-unauthenticated']).toBe(true)
    expect(JSON.stringify(document)).not.toMatch(/x-secrets/i)
  })
})

const refer = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const json = (name: string) => ({ 'application/json': { schema: refer(name) } })
const ok = (name: string) => ({ description: 'Done.', content: json(name) })
const failure = { description: 'Not done.', content: json('Error') }
