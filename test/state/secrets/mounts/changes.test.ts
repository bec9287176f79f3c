import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../../state/kernel/json.ts'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import { putSecret } from '../../../../state/secrets/kv/kv.ts'
import { readVersion } from '../../../../state/secrets/kv/v2-versions.ts'
import { findLease } from '../../../../state/secrets/leases/leases.ts'
import {
  disableAuth,
  disableMount,
  enableAuth,
  enableMount,
  type MountRequest,
  tuneMount,
} from '../../../../state/secrets/mounts/changes.ts'
import type { Tuning } from '../../../../state/secrets/mounts/config.ts'
import {
  type Mount,
  mountOf,
  mountsIn,
  storagePrefix,
} from '../../../../state/secrets/mounts/mounts.ts'
import { rootNamespace } from '../../../../state/secrets/namespaces/namespaces.ts'
import { createToken } from '../../../../state/secrets/tokens/creation.ts'
import { findToken } from '../../../../state/secrets/tokens/rows.ts'
import { renderMessages } from '../../../support/render-messages.ts'
import { invalid, leaseAt, mountAt, refusalOf, secretsWorld } from '../system-world.ts'

const root = rootNamespace

function request(path: string, type: string, more: Partial<MountRequest> = {}): MountRequest {
  return {
    path,
    type,
    description: '',
    config: {},
    options: {},
    local: false,
    seal_wrap: false,
    external_entropy_access: false,
    ...more,
  }
}

/** Counts the rows of the service that belong to a mount. */
function rowsOf(world: World, mount: Mount): number {
  const tables = [...world.store.tables.values()].filter(
    ({ definition }) => definition.service === 'secrets',
  )
  return tables.flatMap((table) => [...table.rows(storagePrefix(mount))]).length
}

describe('behaviour/secrets#mounts: mounting', () => {
  test('kv-v1 and kv-v2 are key-value mounts of their version, kv alone sets no version', () => {
    const world = secretsWorld()
    const created = [
      enableMount(world, root, request('one', 'kv-v1')),
      enableMount(world, root, request('/two/', 'kv-v2', { options: { version: '1', a: 'b' } })),
      enableMount(world, root, request('a/b/c', 'kv')),
      enableMount(world, root, request('four', 'kv', { options: { version: '2' } })),
    ]
    expect(created.map(({ path, type, options }) => [path, type, options])).toEqual([
      ['one/', 'kv', { version: '1' }],
      ['two/', 'kv', { version: '2', a: 'b' }],
      ['a/b/c/', 'kv', {}],
      ['four/', 'kv', { version: '2' }],
    ])
    expect(mountOf(world, root, 'a/b/c/some/secret')).toEqual(created[2])
    expect(mountOf(world, root, 'a/b/cd')).toBeUndefined()
  })

  // choice/secrets#mount-settings-without-effect
  test('settings are stored', () => {
    const world = secretsWorld()
    const config: JsonObject = {
      default_lease_ttl: '30m',
      max_lease_ttl: 7200,
      force_no_cache: true,
      listing_visibility: 'unauth',
      audit_non_hmac_request_keys: 'a, b',
      passthrough_request_headers: ['X-One'],
    }
    const more = { description: 'd', local: true, seal_wrap: true, external_entropy_access: true }
    expect(enableMount(world, root, request('x', 'kv', { config, ...more }))).toMatchObject({
      ...more,
      config: {
        default_lease_ttl: 1800,
        max_lease_ttl: 7200,
        force_no_cache: true,
        listing_visibility: 'unauth',
        audit_non_hmac_request_keys: ['a', 'b'],
        passthrough_request_headers: ['X-One'],
      },
    })
  })

  test.each<[string, MountRequest, string]>([
    ['no type', request('x', ''), 'backend type must be specified as a string'],
    ['unknown type', request('x', 'nope'), 'plugin not found in the catalog: nope'],
    ['a method', request('x', 'cloud'), 'plugin not found in the catalog: cloud'],
    ['singleton', request('x', 'cubbyhole'), 'mount type of "cubbyhole" is not mountable'],
    ['singleton', request('x', 'token'), 'mount type of "token" is not mountable'],
    ['taken', request('secret', 'kv'), 'path is already in use at secret/'],
    ['below a mount', request('secret/below', 'kv'), 'path is already in use at secret/'],
    ['system path', request('sys', 'kv'), 'cannot mount "sys/"'],
    ['below sys', request('sys/x', 'kv'), 'cannot mount "sys/x/"'],
    ['auth path', request('auth/x', 'kv'), 'cannot mount "auth/x/"'],
    ['identity path', request('identity', 'kv'), 'cannot mount "identity/"'],
    ['cubbyhole path', request('cubbyhole', 'kv'), 'cannot mount "cubbyhole/"'],
    ['audit path', request('audit', 'kv'), 'cannot mount "audit/"'],
    ['no path', request('', 'kv'), 'backend path must be specified'],
    [
      'version of another engine',
      request('x', 'orch', { options: { version: '2' } }),
      'secrets engine "orch" does not allow setting a version',
    ],
    [
      'version 3',
      request('x', 'kv', { options: { version: '3' } }),
      'nil backend of type "kv" returned from factory',
    ],
    [
      'no version',
      request('x', 'kv', { options: { version: 'two' } }),
      'nil backend of type "kv" returned from factory',
    ],
    [
      'contradicting TTLs',
      request('x', 'kv', { config: { default_lease_ttl: '2h', max_lease_ttl: '1h' } }),
      'given default lease TTL greater than given max lease TTL',
    ],
    [
      "TTL above the system's",
      request('x', 'kv', { config: { default_lease_ttl: 2_764_801 } }),
      'given default lease TTL greater than system max lease TTL of 2764800',
    ],
    [
      'default TTL that is none',
      request('x', '', { config: { default_lease_ttl: 'soon' } }),
      'unable to parse default TTL of soon: time: invalid duration "soon"',
    ],
    [
      'max TTL that is none',
      request('x', '', { config: { max_lease_ttl: 'soon' } }),
      'unable to parse max TTL of soon: time: invalid duration "soon"',
    ],
    [
      'wrong type',
      request('x', '', { config: { force_no_cache: 'yes' } }),
      'unable to convert given mount config information',
    ],
    [
      'wrong type of TTL',
      request('x', '', { config: { default_lease_ttl: [] } }),
      'unable to convert given mount config information',
    ],
    [
      'wrong list',
      request('x', '', { config: { allowed_response_headers: [1] } }),
      'unable to convert given mount config information',
    ],
    [
      'unknown visibility',
      request('x', 'kv', { config: { listing_visibility: 'all' } }),
      'invalid listing_visibility all',
    ],
  ])('refused: %s', (_what, requested, message) => {
    const world = secretsWorld()
    const before = mountsIn(world, root)
    expect(refusalOf(() => enableMount(world, root, requested))).toEqual(invalid(message))
    expect(mountsIn(world, root)).toEqual(before)
  })

  test('a mount above another is refused, a sibling with a longer name is not', () => {
    const world = secretsWorld()
    enableMount(world, root, request('a/b', 'kv'))
    expect(refusalOf(() => enableMount(world, root, request('a', 'kv')))).toEqual(
      invalid('path is already in use at a/b/'),
    )
    enableMount(world, root, request('a/b-c', 'kv'))
    enableMount(world, root, request('a/bc', 'kv'))
    expect(mountOf(world, root, 'a/b-c/x')?.path).toBe('a/b-c/')
  })

  test('each namespace has mounts of its own', () => {
    const world = secretsWorld()
    const team = { id: 'abcde', path: 'team/', custom_metadata: {} }
    expect(enableMount(world, team, request('secret', 'kv')).namespace).toBe('abcde')
    expect(mountOf(world, team, 'secret/x')?.uuid).not.toBe(mountAt(world, 'secret/').uuid)
  })
})

describe('behaviour/secrets#mounts: authentication methods', () => {
  test('enabled below auth/', () => {
    const world = secretsWorld()
    const config = { default_lease_ttl: '1h', token_type: 'batch' }
    expect(enableAuth(world, root, request('two/more', 'cloud', { config }))).toMatchObject({
      path: 'auth/two/more/',
      type: 'cloud',
      accessor: expect.stringMatching(/^auth_cloud_[0-9a-f]{8}$/),
      config: { default_lease_ttl: 3600, token_type: 'batch' },
    })
  })

  test.each<[string, MountRequest, string]>([
    ['no type', request('x', ''), 'backend type must be specified as a string'],
    ['no path', request('', 'cloud'), 'backend path must be specified'],
    ['taken', request('cloud', 'cloud'), 'path is already in use at cloud/'],
    ['below another', request('cloud/x', 'cloud'), 'path is already in use at cloud/'],
    ['token', request('x', 'token'), 'token credential backend cannot be instantiated'],
    ['an engine', request('x', 'kv'), 'plugin not found in the catalog: kv'],
    [
      'a version',
      request('x', 'cloud', { options: { version: '1' } }),
      'auth method "cloud" does not allow setting a version',
    ],
    [
      'wrong type of setting',
      request('x', 'cloud', { config: { max_lease_ttl: true } }),
      'unable to convert given auth config information',
    ],
    [
      'unknown token type',
      request('x', 'cloud', { config: { token_type: 'eternal' } }),
      "invalid value for 'token_type'",
    ],
  ])('refused: %s', (_what, requested, message) => {
    const world = secretsWorld()
    expect(refusalOf(() => enableAuth(world, root, requested))).toEqual(invalid(message))
  })

  test('disabling one revokes its tokens; token/ stays, an unknown one is ignored', () => {
    const world = secretsWorld()
    const { token } = createToken(world, {
      policies: ['default'],
      displayName: 'cloud-role',
      path: 'auth/cloud/login/role',
      ttl: 60,
    })
    expect(findToken(world, token.id)).toBeDefined()
    disableAuth(world, root, 'cloud')
    disableAuth(world, root, 'cloud')
    expect(findToken(world, token.id)).toBeUndefined()
    expect(refusalOf(() => disableAuth(world, root, 'token'))).toEqual(
      invalid('token credential backend cannot be disabled'),
    )
  })
})

describe('behaviour/secrets#mounts: unmounting', () => {
  test.each(['kv/', 'secret/'])(
    '%s is removed with its data and leases, and nothing else',
    (path) => {
      const world = secretsWorld()
      const other = mountAt(world, path === 'kv/' ? 'secret/' : 'kv/')
      const mount = mountAt(world, path)
      for (const each of [mount, other]) putSecret(world, each, 'a/b', { x: 1 })
      const lease = leaseAt(world, `${path}creds`)
      const kept = leaseAt(world, `${other.path}creds`)
      const held = rowsOf(world, other)
      expect(rowsOf(world, mount)).toBeGreaterThan(0)

      disableMount(world, root, path.slice(0, -1))

      expect(rowsOf(world, mount)).toBe(0)
      expect(rowsOf(world, other)).toBe(held)
      expect(findLease(world, root, lease)).toBeUndefined()
      expect(findLease(world, root, kept)?.id).toBe(kept)
      expect(mountOf(world, root, `${path}a/b`)).toBeUndefined()
    },
  )

  test.each(['sys', 'identity', 'cubbyhole', 'auth/token'])('%s cannot be removed', (path) => {
    const world = secretsWorld()
    expect(refusalOf(() => disableMount(world, root, path))).toEqual(
      invalid(`cannot unmount "${path}/"`),
    )
  })

  test.each(['nothing', 'secret/below', 'sys/below'])('%s is unknown and ignored', (path) => {
    const world = secretsWorld()
    const before = mountsIn(world, root)
    disableMount(world, root, path)
    expect(mountsIn(world, root)).toEqual(before)
  })
})

describe('behaviour/secrets#mounts: tuning', () => {
  test('changes only the given settings', () => {
    const world = secretsWorld()
    const before = mountAt(world, 'secret/')
    expect(tuneMount(world, root, 'secret', { description: 'new', max_lease_ttl: '1h' })).toEqual(
      [],
    )
    expect(tuneMount(world, root, 'secret', { default_lease_ttl: '60' })).toEqual([])
    expect(mountAt(world, 'secret/')).toEqual({
      ...before,
      description: 'new',
      config: { ...before.config, default_lease_ttl: 60, max_lease_ttl: 3600 },
    })
    tuneMount(world, root, 'secret', { default_lease_ttl: 'system', max_lease_ttl: 'system' })
    tuneMount(world, root, 'secret', { description: '', default_lease_ttl: '' })
    expect(mountAt(world, 'secret/')).toEqual({ ...before, description: '' })
  })

  test('options are merged; empty ones are removed', () => {
    const world = secretsWorld()
    tuneMount(world, root, 'orch', { options: { a: '1', b: '2' } })
    tuneMount(world, root, 'orch', { options: { a: '', c: '3' } })
    expect(mountAt(world, 'orch/').options).toEqual({ b: '2', c: '3' })
    tuneMount(world, root, 'orch', { options: { b: '', c: '' } })
    expect(mountAt(world, 'orch/').options).toEqual({})
  })

  test('lists, visibility and token type of a method', () => {
    const world = secretsWorld()
    tuneMount(world, root, 'auth/cloud', {
      token_type: 'service',
      listing_visibility: 'hidden',
      allowed_response_headers: ['X-A'],
    })
    expect(mountAt(world, 'auth/cloud/').config).toEqual({
      default_lease_ttl: 0,
      max_lease_ttl: 0,
      force_no_cache: false,
      token_type: 'service',
      listing_visibility: 'hidden',
      allowed_response_headers: ['X-A'],
    })
  })

  test('a key-value mount is upgraded to version 2: its data become version 1 of each key', () => {
    const world = secretsWorld()
    putSecret(world, mountAt(world, 'kv/'), 'a/b', { user: 'ada' })
    expect(renderMessages(tuneMount(world, root, 'kv', { options: { version: '2' } }))).toEqual([
      'Upgrading mount from version 1 to version 2. This mount will be unavailable for a brief period and will resume service shortly.',
    ])
    const mount = mountAt(world, 'kv/')
    expect(mount.options).toEqual({ version: '2' })
    expect(readVersion(world, mount, 'a/b')).toMatchObject({
      data: '{"user":"ada"}',
      number: 1,
    })
    expect(renderMessages(tuneMount(world, root, 'kv', { options: { version: '2' } }))).toEqual([])
  })

  test.each(['orch', 'auth/cloud'])(
    '%s, which is not a key-value mount, accepts a version, which changes nothing else',
    (path) => {
      const world = secretsWorld()
      const before = mountAt(world, `${path}/`)
      const tuneTo = (version: string) =>
        renderMessages(tuneMount(world, root, path, { options: { version } }))
      expect(tuneTo('1')).toEqual([expect.stringContaining('from version 0 to version 1.')])
      expect(tuneTo('2')).toEqual([expect.stringContaining('from version 1 to version 2.')])
      expect(tuneTo('2')).toEqual([])
      expect(mountAt(world, `${path}/`)).toEqual({ ...before, options: { version: '2' } })
      expect(refusalOf(() => tuneTo('1'))).toEqual(invalid('cannot downgrade mount from version 2'))
    },
  )

  test.each<[string, string, Tuning, string]>([
    ['a system mount', 'sys', {}, 'cannot tune "sys/"'],
    ['a system mount', 'cubbyhole', {}, 'cannot tune "cubbyhole/"'],
    ['nothing', 'nope', {}, 'tune of path "nope/" failed: no mount entry found'],
    ['a TTL that is none', 'kv', { max_lease_ttl: 'x' }, 'time: invalid duration "x"'],
    [
      'contradicting TTLs',
      'kv',
      { default_lease_ttl: '2h', max_lease_ttl: '1h' },
      'backend max lease TTL of 3600 would be less than backend default lease TTL of 7200',
    ],
    [
      'a downgrade',
      'secret',
      { options: { version: '1' } },
      'cannot downgrade mount from version 2',
    ],
    ['version 3', 'secret', { options: { version: '3' } }, 'invalid version provided: 3'],
    [
      'a version that is none',
      'secret',
      { options: { version: '' } },
      'invalid version provided: 0',
    ],
    [
      'version 3 of another engine',
      'orch',
      { options: { version: '3' } },
      'invalid version provided: 3',
    ],
    [
      'token type',
      'kv',
      { token_type: 'batch' },
      "'token_type' can only be modified on auth mounts",
    ],
    [
      'token type',
      'auth/token',
      { token_type: 'batch' },
      "'token_type' cannot be set for 'token' or 'ns_token' auth mounts",
    ],
    ['token type', 'auth/cloud', { token_type: 'x' }, "invalid value for 'token_type'"],
    ['visibility', 'kv', { listing_visibility: 'x' }, 'invalid listing_visibility x'],
  ])('refused: %s of %s', (_what, path, tuning, message) => {
    const world = secretsWorld()
    const before = mountsIn(world, root)
    const asked = { description: 'changed', ...tuning }
    expect(refusalOf(() => tuneMount(world, root, path, asked))).toEqual(invalid(message))
    expect(mountsIn(world, root)).toEqual(before)
  })
})
