import { describe, expect, test } from 'vitest'
import { error, noContent, ok } from '../../routes/secrets/replies.ts'
import { rootToken, type SecretsServer, startSecrets, statusAndBody } from './secrets-server.ts'

describe('behaviour/program#http: names of built-in object members are ordinary data', () => {
  const names = ['__proto__', 'constructor', 'toString']
  const hostile =
    '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":"x"}'
  const ignored = `Endpoint ignored these unrecognized parameters: [${names.join(' ')}]`

  /** Checks new secrets, tokens, mounts and metadata for signs of prototype pollution. */
  async function expectUnpolluted({ call }: SecretsServer): Promise<void> {
    await call('POST', 'kv/fresh', { body: { a: 1 } })
    await call('POST', 'secret/metadata/fresh', { body: { max_versions: 1 } })
    await call('POST', 'sys/mounts/fresh', { body: { type: 'kv' } })
    const created = await call('POST', 'auth/token/create', { body: { ttl: 60 } })
    const replies = await Promise.all([
      call('GET', 'kv/fresh'),
      call('GET', 'secret/metadata/fresh'),
      call('GET', 'sys/mounts/fresh'),
      call('GET', 'sys/health'),
    ])
    for (const reply of [created, ...replies]) {
      expect(reply.status).toBe(200)
      expect(reply.text).not.toContain('polluted')
    }
    expect(created.body.warnings).toBe(null)
    expect(replies[1]?.body.data.custom_metadata).toBe(null)
  }

  test('such names can be keys of bodies and data, at every level', async () => {
    const server = await startSecrets()
    const { call } = server
    expect(statusAndBody(await call('POST', 'kv/a', { body: hostile }))).toEqual(noContent)
    expect((await call('GET', 'kv/a')).text).toContain(`"data":${hostile},`)

    const data = `{"__proto__":${hostile},"a":[${hostile}],"toString":null}`
    await call('POST', 'secret/data/a', { body: `{"data":${data}}` })
    expect((await call('GET', 'secret/data/a')).text).toContain(`"data":{"data":${data},`)
    const patch = '{"data":{"__proto__":{"__proto__":null,"constructor":null,"b":1},"a":null}}'
    const headers = { ...rootToken, 'content-type': 'application/merge-patch+json' }
    expect((await call('PATCH', 'secret/data/a', { body: patch, headers })).status).toBe(200)
    expect((await call('GET', 'secret/data/a')).text).toContain(
      '"data":{"data":{"__proto__":{"b":1,"toString":"x"},"toString":null},',
    )
    expect((await call('GET', 'secret/subkeys/a')).text).toContain(
      '"subkeys":{"__proto__":{"b":null,"toString":null},"toString":null}',
    )

    const polluted = `{"data":{},${hostile.slice(1)}`
    expect((await call('POST', 'secret/data/b', { body: polluted })).body.warnings).toEqual([
      ignored,
    ])
    const inherited = '{"__proto__":{"data":{"a":1}}}'
    expect(statusAndBody(await call('POST', 'secret/data/c', { body: inherited }))).toEqual(
      error(400, 'no data provided'),
    )
    const type = { ...rootToken, 'content-type': 'application/x-www-form-urlencoded' }
    const form = '__proto__=1&constructor=2&toString=3&__proto__=4'
    await call('POST', 'kv/form', { body: form, headers: type })
    expect((await call('GET', 'kv/form')).text).toContain(
      '"data":{"__proto__":["1","4"],"constructor":"2","toString":"3"}',
    )
    await expectUnpolluted(server)
  })

  test('such names can be query parameters', async () => {
    const server = await startSecrets()
    const { call } = server
    await call('POST', 'secret/data/a', { body: { data: { n: 1 } } })
    for (const query of [
      '__proto__=1&constructor=2&toString=3',
      '__proto__=1&__proto__=2&constructor=2&toString=3',
    ]) {
      const { status, body } = await call('GET', `secret/data/a?${query}`)
      expect([status, body.data.data, body.warnings]).toEqual([200, { n: 1 }, [ignored]])
    }
    expect((await call('GET', 'secret/data/a?__proto__[version]=9')).body.data.data).toEqual({
      n: 1,
    })
    await expectUnpolluted(server)
  })

  test('such names can be keys of custom metadata and token metadata', async () => {
    const server = await startSecrets()
    const { call } = server
    const pairs = '{"__proto__":"polluted","constructor":"b","toString":"c"}'
    const path = 'secret/metadata/a'
    expect(
      statusAndBody(await call('POST', path, { body: `{"custom_metadata":${pairs}}` })),
    ).toEqual(noContent)
    expect((await call('GET', path)).text).toContain(`"custom_metadata":${pairs}`)
    const headers = { ...rootToken, 'content-type': 'application/merge-patch+json' }
    const patch = '{"custom_metadata":{"__proto__":null,"constructor":"d"}}'
    expect(statusAndBody(await call('PATCH', path, { body: patch, headers }))).toEqual(noContent)
    expect((await call('GET', path)).text).toContain(
      '"custom_metadata":{"constructor":"d","toString":"c"}',
    )
    const body = `{"policies":"default","meta":${pairs}}`
    expect((await call('POST', 'auth/token/create', { body })).text).toContain(
      `"metadata":${pairs}`,
    )
    await expectUnpolluted(server)
  })

  test('such names can be names of policies', async () => {
    const server = await startSecrets()
    const { call } = server
    for (const name of ['constructor', '__proto__', 'hasOwnProperty', 'default.toString']) {
      expect(statusAndBody(await call('GET', `sys/policies/acl/${name}`))).toEqual(error(404))
    }
    const policy = 'path "kv/*" { capabilities = ["read"] }'
    for (const name of ['__proto__', 'constructor']) {
      expect(
        statusAndBody(await call('POST', `sys/policies/acl/${name}`, { body: { policy } })),
      ).toEqual(noContent)
      expect(statusAndBody(await call('GET', `sys/policies/acl/${name}`))).toEqual(
        ok({ data: { name, policy } }),
      )
    }
    expect((await call('LIST', 'sys/policies/acl')).body.data).toEqual({
      keys: ['__proto__', 'constructor', 'default', 'root'],
    })
    const created = await call('POST', 'auth/token/create', { body: { policies: names } })
    const { auth, warnings } = created.body
    expect(auth.policies).toEqual(['__proto__', 'constructor', 'default', 'tostring'])
    expect(warnings).toEqual(['Policy "tostring" does not exist'])
    await call('POST', 'kv/a', { body: { n: 1 } })
    const headers = { 'x-secrets-token': auth.client_token }
    expect((await call('GET', 'kv/a', { headers })).status).toBe(200)
    expect((await call('DELETE', 'kv/a', { headers })).status).toBe(403)
    const rule = 'path "kv/*" { capabilities = ["constructor"] }'
    expect(
      statusAndBody(await call('POST', 'sys/policies/acl/p', { body: { policy: rule } })),
    ).toEqual(error(400, 'failed to parse policy: path "kv/*": invalid capability "constructor"'))
    await expectUnpolluted(server)
  })

  test('such names can be names of mounts, types and keys', async () => {
    const server = await startSecrets()
    const { call } = server
    for (const name of names) {
      expect(statusAndBody(await call('GET', `${name}/a`))).toEqual(
        error(404, `no handler for route "${name}/a". route entry not found.`),
      )
      expect(statusAndBody(await call('POST', 'sys/mounts/x', { body: { type: name } }))).toEqual(
        error(400, `plugin not found in the catalog: ${name}`),
      )
      expect(
        statusAndBody(await call('POST', `sys/mounts/${name}`, { body: { type: 'kv' } })),
      ).toEqual(noContent)
      for (const key of names) {
        expect(statusAndBody(await call('GET', `${name}/${key}`))).toEqual(error(404))
        expect(statusAndBody(await call('POST', `${name}/${key}`, { body: { key } }))).toEqual(
          noContent,
        )
        expect((await call('GET', `${name}/${key}`)).body.data).toEqual({ key })
      }
      expect((await call('LIST', name)).body.data).toEqual({ keys: names })
    }
    const mounts = (await call('GET', 'sys/mounts')).body.data
    expect(names.filter((name) => Object.hasOwn(mounts, `${name}/`))).toEqual(names)
    await expectUnpolluted(server)
  })

  test('such names can be names of headers, namespaces, worlds and tokens', async () => {
    const server = await startSecrets()
    const { call } = server
    const token = ['X-Secrets-Token', 'root']
    const own = names.flatMap((name) => [name, 'polluted'])
    expect((await call('GET', 'sys/health', { headers: own })).status).toBe(200)
    expect((await call('GET', 'sys/mounts', { headers: [...token, ...own] })).status).toBe(200)
    for (const name of names) {
      const namespace = [...token, 'X-Secrets-Namespace', name]
      expect(statusAndBody(await call('GET', 'kv/a', { headers: namespace }))).toEqual(
        error(404, 'namespace not found'),
      )
      const world = await call('GET', 'kv/a', { headers: [...token, 'X-Mock-World', name] })
      expect(statusAndBody(world)).toEqual(error(404, `there is no world "${name}"`))
      expect(
        statusAndBody(await call('POST', 'auth/token/lookup', { body: { token: name } })),
      ).toEqual(error(403, 'bad token'))
      expect(
        statusAndBody(await call('PUT', 'sys/leases/lookup', { body: { lease_id: name } })),
      ).toEqual(error(400, 'invalid lease'))
    }
    await expectUnpolluted(server)
  })
})
