import { describe, expect, test } from 'vitest'
import { envelope } from '../../routes/secrets/replies.ts'
import { accessor, connect, failure, month, nothing, now, refused } from './node-vault-client.ts'

describe('behaviour/secrets#key-value through node-vault: key-value version 1', () => {
  test('write, read, list, replace, delete', async () => {
    const { client } = await connect()
    const pairs = { user: 'ada', ttl: '90m', tags: ['a', { b: null }], n: 1.5 }
    expect(await client.write('kv/team/db', pairs)).toBe(nothing)
    expect(await client.write('kv/team', { plain: true })).toBe(nothing)
    expect(await client.read('kv/team/db')).toEqual(
      envelope({ data: pairs, lease_duration: 90 * 60 }),
    )
    expect(await client.list('kv')).toEqual(envelope({ data: { keys: ['team', 'team/'] } }))
    expect(await client.list('kv/team/')).toEqual(envelope({ data: { keys: ['db'] } }))
    expect(await client.write('kv/team/db', { user: 'bob' })).toBe(nothing)
    expect(await client.read('kv/team/db')).toEqual(
      envelope({ data: { user: 'bob' }, lease_duration: month }),
    )
    expect(await client.delete('kv/team/db')).toBe(nothing)
    expect(await client.delete('kv/team/db')).toBe(nothing)
    expect(await failure(client.read('kv/team/db'))).toEqual(refused(404))
    expect(await failure(client.list('kv/team'))).toEqual(refused(404))
  })

  test('requests that the engine refuses', async () => {
    const { client } = await connect()
    expect(await failure(client.write('kv/team', {}))).toEqual(refused(400, 'missing data fields'))
    expect(await failure(client.write('kv/team/', { a: 1 }))).toEqual(
      refused(400, "cannot write to a path ending in '/'"),
    )
    expect(await failure(client.update('kv/team', { a: 1 }))).toEqual(
      refused(405, '1 error occurred:\n\t* unsupported operation\n\n'),
    )
    expect(await failure(client.read('none/team'))).toEqual(
      refused(404, 'no handler for route "none/team". route entry not found.'),
    )
  })
})

const metadata = (version: number, changes: object = {}) => ({
  created_time: now,
  custom_metadata: null,
  deletion_time: '',
  destroyed: false,
  version,
  ...changes,
})

describe('behaviour/secrets#key-value through node-vault: key-value version 2', () => {
  test('write with check-and-set, read by version, merge patch, list', async () => {
    const { client } = await connect()
    const write = (data: object, cas: number) =>
      client.write('secret/data/app/db', { data, options: { cas } })
    const first = { user: 'ada', nested: { a: 1, b: 2 } }
    expect(await write(first, 0)).toEqual(envelope({ data: metadata(1) }))
    expect(await failure(write({}, 0))).toEqual(
      refused(400, 'check-and-set parameter did not match the current version'),
    )
    const patch = { data: { nested: { a: null, c: 3 } }, options: { cas: 1 } }
    expect(await client.update('secret/data/app/db', patch)).toEqual(
      envelope({ data: metadata(2) }),
    )
    expect(await client.read('secret/data/app/db')).toEqual(
      envelope({
        data: { data: { user: 'ada', nested: { b: 2, c: 3 } }, metadata: metadata(2) },
      }),
    )
    expect(await client.read('secret/data/app/db?version=1')).toEqual(
      envelope({ data: { data: first, metadata: metadata(1) } }),
    )
    expect(await client.read('secret/subkeys/app/db?depth=1')).toEqual(
      envelope({ data: { subkeys: { user: null, nested: null }, metadata: metadata(2) } }),
    )
    expect(await client.list('secret/metadata')).toEqual(envelope({ data: { keys: ['app/'] } }))
    expect(await client.list('secret/metadata/app')).toEqual(envelope({ data: { keys: ['db'] } }))
    expect(await failure(client.update('secret/data/none', { data: {} }))).toEqual(refused(404))
    expect(await failure(client.list('secret/metadata/none'))).toEqual(refused(404))
  })

  test('delete, undelete, destroy, metadata', async () => {
    const { client } = await connect()
    for (const n of [1, 2, 3]) await client.write('secret/data/app', { data: { n } })
    expect(await client.delete('secret/data/app')).toBe(nothing)
    const gone = { data: null, metadata: metadata(3, { deletion_time: now }) }
    expect(await failure(client.read('secret/data/app'))).toEqual({
      message: 'Status 404',
      response: { statusCode: 404, body: envelope({ data: gone, errors: [] }) },
    })
    expect(await client.write('secret/undelete/app', { versions: [3] })).toBe(nothing)
    expect(await client.read('secret/data/app')).toEqual(
      envelope({ data: { data: { n: 3 }, metadata: metadata(3) } }),
    )
    expect(await client.write('secret/delete/app', { versions: [2] })).toBe(nothing)
    expect(await client.write('secret/destroy/app', { versions: ['1'] })).toBe(nothing)
    expect(await client.write('secret/undelete/app', { versions: [1] })).toBe(nothing)
    const settings = {
      max_versions: 5,
      cas_required: true,
      delete_version_after: '2h',
      custom_metadata: { owner: 'ada' },
    }
    expect(await client.write('secret/metadata/app', settings)).toBe(nothing)
    expect(
      await client.update('secret/metadata/app', { custom_metadata: { owner: null, team: 'x' } }),
    ).toBe(nothing)
    const version = { created_time: now, deletion_time: '', destroyed: false }
    expect(await client.read('secret/metadata/app')).toEqual(
      envelope({
        data: {
          cas_required: true,
          created_time: now,
          current_version: 3,
          custom_metadata: { team: 'x' },
          delete_version_after: '2h0m0s',
          max_versions: 5,
          oldest_version: 0,
          updated_time: now,
          versions: {
            1: { ...version, destroyed: true },
            2: { ...version, deletion_time: now },
            3: version,
          },
        },
      }),
    )
    expect(await failure(client.write('secret/data/app', { data: {} }))).toEqual(
      refused(400, 'check-and-set parameter required for this call'),
    )
    expect(await client.delete('secret/metadata/app')).toBe(nothing)
    expect(await failure(client.read('secret/metadata/app'))).toEqual(refused(404))
  })

  test('engine configuration, and a path of version 1', async () => {
    const { client } = await connect()
    expect(await client.write('secret/config', { max_versions: 4 })).toBe(nothing)
    expect(await client.read('secret/config')).toEqual(
      envelope({ data: { cas_required: false, delete_version_after: '0s', max_versions: 4 } }),
    )
    const warning =
      "Invalid path for a versioned K/V secrets engine. See the API docs for the appropriate API endpoints to use. If using the Service CLI, use 'secrets kv get' for this operation."
    expect(await failure(client.read('secret/app'))).toEqual({
      message: 'Status 404',
      response: { statusCode: 404, body: envelope({ warnings: [warning], errors: [] }) },
    })
  })
})

describe('behaviour/secrets#tokens through node-vault: tokens', () => {
  const auth = (changes: object = {}) => ({
    client_token: expect.stringMatching(/^s\.[0-9A-Za-z]{24}$/),
    accessor,
    policies: ['default', 'dev'],
    token_policies: ['default', 'dev'],
    metadata: { user: 'ada' },
    lease_duration: 3600,
    renewable: true,
    entity_id: '',
    token_type: 'service',
    orphan: false,
    mfa_requirement: null,
    num_uses: 0,
    ...changes,
  })

  test('create, look up, renew, revoke', async () => {
    const { client, as } = await connect()
    const request = { policies: ['dev'], ttl: '1h', meta: { user: 'ada' }, display_name: 'x' }
    const created = await as('root').tokenCreate(request)
    const warnings = ['Policy "dev" does not exist']
    expect(created).toEqual(envelope({ auth: auth(), warnings }))
    const { client_token: id, accessor: name } = created.auth

    const facts = {
      accessor: name,
      creation_time: 1_767_225_600,
      creation_ttl: 3600,
      display_name: 'token-x',
      entity_id: '',
      expire_time: '2026-01-01T01:00:00Z',
      explicit_max_ttl: 0,
      id,
      issue_time: now,
      meta: { user: 'ada' },
      num_uses: 0,
      orphan: false,
      path: 'auth/token/create',
      policies: ['default', 'dev'],
      renewable: true,
      ttl: 3600,
      type: 'service',
    }
    expect(await client.tokenLookup({ token: id })).toEqual(envelope({ data: facts }))
    expect(await as(id).tokenLookupSelf()).toEqual(envelope({ data: facts }))
    expect(await client.tokenLookupAccessor({ accessor: name })).toEqual(
      envelope({ data: { ...facts, id: '' } }),
    )
    expect(await as(id).tokenRenewSelf({ increment: 1800 })).toEqual(
      envelope({ auth: auth({ client_token: id, accessor: name, lease_duration: 1800 }) }),
    )
    expect(await as('root').tokenRenew({ token: id, increment: '2h' })).toEqual(
      envelope({ auth: auth({ client_token: id, accessor: name, lease_duration: 7200 }) }),
    )
    const { data } = await client.tokenAccessors()
    expect(data).toEqual({ keys: expect.arrayContaining([name]) })
    expect(data.keys).toHaveLength(2)

    expect(await client.tokenRevoke({ token: id })).toBe(nothing)
    expect(await failure(client.tokenLookup({ token: id }))).toEqual(refused(403, 'bad token'))
    expect(await failure(as(id).tokenLookupSelf())).toEqual(refused(403, 'permission denied'))
    expect(await failure(as('root').tokenRenew({ token: id }))).toEqual(
      refused(400, 'token not found'),
    )
  })

  test('orphans, accessors, and a token that ends itself', async () => {
    const { client, as } = await connect()
    const created = await as('root').tokenCreateOrphan({ policies: ['default'] })
    const plain = { policies: ['default'], token_policies: ['default'], metadata: null }
    expect(created).toEqual(
      envelope({ auth: auth({ ...plain, orphan: true, lease_duration: month }) }),
    )
    const child = as(created.auth.client_token)
    expect(await failure(child.tokenCreate({ policies: ['default'] }))).toEqual(
      refused(403, '1 error occurred:\n\t* permission denied\n\n'),
    )
    expect(await child.tokenRevokeSelf()).toBe(nothing)
    expect(await failure(child.tokenLookupSelf())).toEqual(refused(403, 'permission denied'))

    const { auth: other } = await as('root').tokenCreate({ policies: ['default'] })
    expect(await client.tokenRevokeAccessor({ accessor: other.accessor })).toBe(nothing)
    expect(await client.tokenRevokeAccessor({ accessor: other.accessor })).toEqual(
      envelope({ warnings: ['No token found with this accessor'] }),
    )
    expect(await failure(client.tokenLookupAccessor({ accessor: other.accessor }))).toEqual(
      refused(400, '1 error occurred:\n\t* invalid accessor\n\n'),
    )
    expect(await failure(as('').tokenLookupSelf())).toEqual(refused(403, 'permission denied'))
  })
})

describe('behaviour/secrets#policies through node-vault: policies and capabilities', () => {
  test('add, get, list, remove, and the permissions that they grant', async () => {
    const { client, as } = await connect()
    const rules = 'path "kv/mine/*" { capabilities = ["create", "read", "list"] }'
    expect(await client.addPolicy({ name: 'mine', rules })).toEqual(
      envelope({
        warnings: [
          "'rules' is deprecated, please use 'policy' instead",
          // The client also sends the name in the body.
          "Endpoint replaced the value of these parameters with the values captured from the endpoint's path: [name]",
        ],
      }),
    )
    expect(await client.getPolicy({ name: 'mine' })).toEqual(
      envelope({ data: { name: 'mine', rules }, name: 'mine', rules }),
    )
    const keys = ['default', 'mine', 'root']
    expect(await client.policies()).toEqual(
      envelope({ data: { keys, policies: keys }, keys, policies: keys }),
    )
    const { auth } = await as('root').tokenCreate({ policies: ['mine'] })
    const user = as(auth.client_token)
    const caps = { 'kv/mine/a': ['create', 'list', 'read'], 'kv/a': ['deny'] }
    expect(await user.write('sys/capabilities-self', { paths: ['kv/mine/a', 'kv/a'] })).toEqual(
      envelope({ data: caps, ...caps }),
    )
    expect(await user.write('kv/mine/a', { n: 1 })).toBe(nothing)
    const denied = refused(403, '1 error occurred:\n\t* permission denied\n\n')
    expect(await failure(user.write('kv/mine/a', { n: 2 }))).toEqual(denied)
    expect(await failure(user.read('kv/a'))).toEqual(denied)
    expect(await user.list('kv/mine')).toEqual(envelope({ data: { keys: ['a'] } }))

    expect(await client.removePolicy({ name: 'mine' })).toBe(nothing)
    expect(await failure(user.read('kv/mine/a'))).toEqual(denied)
    expect(await failure(client.getPolicy({ name: 'mine' }))).toEqual(refused(404))
    expect(
      await failure(client.addPolicy({ name: 'bad', rules: 'path "x" { nope = 1 }' })),
    ).toEqual(
      refused(
        400,
        'failed to parse policy: 1 error occurred:\n\t* path "x": invalid key "nope" on line 1\n\n',
      ),
    )
    expect(await failure(client.removePolicy({ name: 'root' }))).toEqual(
      refused(400, 'cannot delete "root" policy'),
    )
  })
})
