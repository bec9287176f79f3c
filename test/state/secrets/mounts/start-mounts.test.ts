import { describe, expect, test } from 'vitest'
import { mountsIn } from '../../../../state/secrets/mounts/mounts.ts'
import { seedNamespaceMounts } from '../../../../state/secrets/mounts/start-mounts.ts'
import { rootNamespace as root } from '../../../../state/secrets/namespaces/namespaces.ts'
import { secretsWorld } from '../system-world.ts'

describe('behaviour/secrets#start-state: start state', () => {
  const plain = { default_lease_ttl: 0, max_lease_ttl: 0, force_no_cache: false }
  const form = {
    namespace: 'root',
    description: '',
    config: plain,
    options: {},
    local: false,
    seal_wrap: false,
    external_entropy_access: false,
    uuid: expect.stringMatching(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    ),
  }
  const accessor = (kind: string) => expect.stringMatching(new RegExp(`^${kind}_[0-9a-f]{8}$`))

  test.each([1, 2] as const)('mounts with option kvVersion %i', (kvVersion) => {
    expect(mountsIn(secretsWorld({ kvVersion }), root)).toEqual([
      { ...form, path: 'auth/cloud/', type: 'cloud', accessor: accessor('auth_cloud') },
      {
        ...form,
        path: 'auth/token/',
        type: 'token',
        accessor: accessor('auth_token'),
        description: 'token based credentials',
        options: null,
      },
      {
        ...form,
        path: 'cubbyhole/',
        type: 'cubbyhole',
        accessor: accessor('cubbyhole'),
        description: 'per-token private secret storage',
        local: true,
        options: null,
      },
      {
        ...form,
        path: 'identity/',
        type: 'identity',
        accessor: accessor('identity'),
        description: 'identity store',
        config: { ...plain, passthrough_request_headers: ['Authorization'] },
        options: null,
      },
      { ...form, path: 'kv/', type: 'kv', accessor: accessor('kv'), options: { version: '1' } },
      { ...form, path: 'orch/', type: 'orch', accessor: accessor('orch') },
      {
        ...form,
        path: 'secret/',
        type: 'kv',
        accessor: accessor('kv'),
        description: 'key/value secret storage',
        options: { version: String(kvVersion) },
      },
      {
        ...form,
        path: 'sys/',
        type: 'system',
        accessor: accessor('system'),
        description: 'system endpoints used for control, policy and debugging',
        seal_wrap: true,
        config: { ...plain, passthrough_request_headers: ['Accept'] },
        options: null,
      },
    ])
  })

  test('a new namespace has the system mounts and no engine', () => {
    const world = secretsWorld()
    const team = { id: 'abcde', path: 'team/', custom_metadata: {} }
    world.write(() => seedNamespaceMounts(world, team))
    expect(Array.from(mountsIn(world, team), ({ path, type }) => [path, type])).toEqual([
      ['auth/token/', 'ns_token'],
      ['cubbyhole/', 'ns_cubbyhole'],
      ['identity/', 'ns_identity'],
      ['sys/', 'ns_system'],
    ])
  })
})
