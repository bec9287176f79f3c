import { describe, expect, test } from 'vitest'
import { servedSecrets } from '../../../support/secrets/secrets.ts'
import { error, multierrorReply, ok, statusAndBody } from '../replies.ts'
import { okAuth, tokenServer } from './tokens.ts'

const mayCreate = 'path "auth/token/create" { capabilities = ["update"] }'
const maySudo = 'path "auth/token/create*" { capabilities = ["update", "sudo"] }'

const month = 2_764_800

describe('behaviour/secrets#tokens: POST auth/token/create by root', () => {
  test.each([
    [
      'with policies',
      { policies: ['b', 'A', 'a'] },
      {
        policies: ['a', 'b', 'default'],
        token_policies: ['a', 'b', 'default'],
      },
      ['Policy "a" does not exist', 'Policy "b" does not exist'],
    ],
    [
      'without default',
      { policies: 'A', no_default_policy: true },
      {
        policies: ['a'],
        token_policies: ['a'],
      },
      ['Policy "a" does not exist'],
    ],
    [
      'with everything',
      {
        policies: ['default'],
        meta: { user: 'ada', n: 1 },
        ttl: '1h',
        explicit_max_ttl: 7200,
        num_uses: 5,
        renewable: false,
        display_name: 'x',
      },
      {
        metadata: { user: 'ada', n: '1' },
        lease_duration: 3600,
        num_uses: 5,
        renewable: false,
      },
      null,
    ],
    [
      'with the old field lease',
      { policies: ['default'], lease: '90s' },
      { lease_duration: 90 },
      null,
    ],
    ['with an empty entity alias', { policies: ['default'], entity_alias: '' }, {}, null],
    ['as an orphan', { policies: ['default'], no_parent: true }, { orphan: true }, null],
    [
      'with a period',
      { policies: ['default'], period: '1h', ttl: 5 },
      { lease_duration: 3600 },
      null,
    ],
    [
      'that lasts too long',
      { policies: ['default'], ttl: '1000h' },
      { lease_duration: month },
      ['TTL of "1000h" exceeded the effective max_ttl of "768h"; TTL value is capped accordingly'],
    ],
    [
      'of type batch',
      { policies: ['default'], type: 'batch' },
      {
        client_token: expect.stringMatching(/^b\.[0-9A-Za-z]{96}$/),
        accessor: '',
        token_type: 'batch',
        renewable: false,
      },
      null,
    ],
    [
      'without policies: root again, which never ends',
      {},
      {
        policies: ['root'],
        token_policies: ['root'],
        lease_duration: 0,
        renewable: false,
      },
      null,
    ],
    [
      'root with a TTL',
      { ttl: 60 },
      {
        policies: ['root'],
        token_policies: ['root'],
        lease_duration: 60,
      },
      null,
    ],
    [
      'root with an explicit maximum',
      { explicit_max_ttl: 60 },
      {
        policies: ['root'],
        token_policies: ['root'],
        lease_duration: 60,
      },
      null,
    ],
  ])('%s', async (_, body, changes, warnings) => {
    const { secrets } = await tokenServer()
    expect(statusAndBody(await secrets.post('auth/token/create', body))).toEqual(
      okAuth(changes, warnings),
    )
  })

  test('with a chosen id, which is then taken', async () => {
    const { secrets, as } = await tokenServer()
    const body = { id: 'my/own', policies: ['default'] }
    expect(statusAndBody(await secrets.post('auth/token/create', body))).toEqual(
      okAuth({ client_token: 'my/own' }, [
        'Supplying a custom ID for the token uses the weaker SHA1 hashing instead of the more secure SHA2-256 HMAC for token obfuscation. SHA1 hashed tokens on the wire leads to less secure lookups.',
      ]),
    )
    expect((await as('my/own').get('auth/token/lookup-self')).body.data.id).toBe('my/own')
    expect(statusAndBody(await secrets.post('auth/token/create', body))).toEqual(
      error(400, 'cannot create a token with a duplicate ID'),
    )
  })

  test.each([
    [{ id: 's.own' }, "custom token ID cannot have the 's.' prefix"],
    [{ id: 'my.own' }, "custom token ID cannot have a '.' in the value"],
    [{ id: 'hvs.own' }, "custom token ID cannot have a '.' in the value"],
    [{ num_uses: -1 }, 'number of uses cannot be negative'],
    [{ ttl: -1 }, 'ttl must be positive'],
    [{ lease: -1 }, 'lease must be positive'],
    [{ explicit_max_ttl: -1 }, 'explicit_max_ttl must be positive'],
    [{ period: -1 }, 'period must be positive'],
    [{ type: 'odd' }, "invalid 'token_type' value"],
    [{ type: 'batch' }, 'batch tokens cannot be root tokens'],
    [{ type: 'batch', explicit_max_ttl: 1 }, 'batch tokens cannot have "explicit_max_ttl" set'],
    [{ type: 'batch', num_uses: 1 }, 'batch tokens cannot have "num_uses" set'],
    [{ type: 'batch', period: 1 }, 'batch tokens cannot have "period" set'],
    [{ type: 'batch', period: 'x' }, '"period" value could not be parsed'],
    [{ entity_alias: 'ada' }, "'entity_alias' is only allowed in combination with token role"],
    [{ policies: ['response-wrapping'] }, 'cannot assign policy "response-wrapping"'],
    [{ policies: ['control-group'] }, 'cannot assign policy "control-group"'],
    [{ ttl: 'x' }, 'time: invalid duration "x"'],
    [{ lease: 'x' }, 'time: invalid duration "x"'],
    [{ explicit_max_ttl: 'x' }, 'time: invalid duration "x"'],
    [{ period: 'x' }, 'time: invalid duration "x"'],
    // Durations are validated last.
    [{ ttl: 'x', policies: ['response-wrapping'] }, 'cannot assign policy "response-wrapping"'],
    [{ ttl: 'x', num_uses: -1 }, 'number of uses cannot be negative'],
    [{ ttl: 'x', period: -1 }, 'period must be positive'],
    [{ ttl: 'x', id: 'my.own' }, 'time: invalid duration "x"'],
    [
      { num_uses: 'x' },
      `Field validation failed: error converting input x for field "num_uses": cannot parse '' as int: strconv.ParseInt: parsing "x": invalid syntax`,
    ],
  ])('%j is refused', async (body, text) => {
    const { secrets } = await tokenServer()
    expect(statusAndBody(await secrets.post('auth/token/create', body))).toEqual(error(400, text))
  })

  test.each([
    ['a', 'token-a'],
    ['a b.c', 'token-a-b-c'],
    ['a!', 'token-a'],
    ['', 'token'],
  ])('the display name %j becomes %j', async (display_name, expected) => {
    const { createToken } = await tokenServer()
    const { client } = await createToken({ display_name })
    expect((await client.get('auth/token/lookup-self')).body.data.display_name).toBe(expected)
  })
})

describe('behaviour/secrets#tokens: POST auth/token/create by others', () => {
  test('a child created without policies gets those of its parent', async () => {
    const { createTokenWith } = await tokenServer()
    const parent = await createTokenWith(mayCreate)
    expect(statusAndBody(await parent.client.post('auth/token/create', {}))).toEqual(
      okAuth({ policies: ['default', 'made0'], token_policies: ['default', 'made0'] }),
    )
  })

  test.each([
    ['a part of its own', {}, { policies: ['made0'] }, ['default', 'made0']],
    ['without default', {}, { policies: ['made0'], no_default_policy: true }, ['made0']],
    [
      'default only where the parent has it',
      { no_default_policy: true },
      { policies: ['made0'] },
      ['made0'],
    ],
  ])('%s', async (_, parentBody, body, policies) => {
    const { createTokenWith } = await tokenServer()
    const parent = await createTokenWith(mayCreate, parentBody)
    expect(statusAndBody(await parent.client.post('auth/token/create', body))).toEqual(
      okAuth({ policies, token_policies: policies }),
    )
  })

  test.each([
    [{ policies: ['other'] }, 'child policies must be subset of parent'],
    [{ policies: ['root'] }, 'child policies must be subset of parent'],
    [{ no_parent: true }, 'root or sudo privileges required to create orphan token'],
    [{ id: 'own' }, 'root or sudo privileges required to specify token id'],
    [{ period: 60 }, 'root or sudo privileges required to create periodic token'],
  ])('%j is refused', async (body, text) => {
    const { createTokenWith } = await tokenServer()
    const parent = await createTokenWith(mayCreate)
    expect(statusAndBody(await parent.client.post('auth/token/create', body))).toEqual(
      error(400, text),
    )
  })

  test('with sudo it may give any policy but root, choose ids, make orphans and periods', async () => {
    const { createTokenWith } = await tokenServer()
    const { client } = await createTokenWith(maySudo)
    const body = { policies: ['other'], no_parent: true, period: 60, id: 'own' }
    const reply = await client.post('auth/token/create', body)
    expect(reply.body.auth).toMatchObject({
      client_token: 'own',
      policies: ['default', 'other'],
      orphan: true,
      lease_duration: 60,
    })
    expect(statusAndBody(await client.post('auth/token/create', { policies: ['root'] }))).toEqual(
      error(400, 'root tokens may not be created without parent token being root'),
    )
  })

  test('a token with limited uses creates no child, and is revoked by its last use', async () => {
    const { createTokenWith } = await tokenServer()
    for (const [num_uses, text] of [
      [1, 'parent token lookup failed: no parent found'],
      [5, 'restricted use token cannot generate child tokens'],
    ] as const) {
      const { client } = await createTokenWith(mayCreate, { num_uses })
      expect(statusAndBody(await client.post('auth/token/create', {}))).toEqual(error(400, text))
    }
  })

  test('a batch token creates no child', async () => {
    const { createTokenWith } = await tokenServer()
    const { client } = await createTokenWith(mayCreate, { type: 'batch' })
    expect(statusAndBody(await client.post('auth/token/create', {}))).toEqual(
      error(400, 'batch tokens cannot create more tokens'),
    )
  })

  test('an expiring root token makes no endless one', async () => {
    const { createToken } = await tokenServer()
    const { client } = await createToken({ policies: ['root'], ttl: 60 })
    expect(statusAndBody(await client.post('auth/token/create', {}))).toEqual(
      error(400, 'expiring root tokens cannot create non-expiring root tokens'),
    )
  })

  test('a token without the capability creates no child', async () => {
    const { createToken } = await tokenServer()
    const { client } = await createToken()
    expect(statusAndBody(await client.post('auth/token/create', {}))).toEqual(
      multierrorReply(403, 'permission denied'),
    )
  })

  test('create-orphan needs its own capability and no sudo', async () => {
    const { createTokenWith } = await tokenServer()
    const { client } = await createTokenWith(
      'path "auth/token/create-orphan" { capabilities = ["update"] }',
    )
    const policies = ['default', 'made0']
    expect(statusAndBody(await client.post('auth/token/create-orphan', {}))).toEqual(
      okAuth({ orphan: true, policies, token_policies: policies }),
    )
  })
})

describe('behaviour/secrets#token-roles: auth/token/roles and create/:role', () => {
  const role = {
    allowed_entity_aliases: null,
    allowed_policies: [],
    allowed_policies_glob: [],
    disallowed_policies: [],
    disallowed_policies_glob: [],
    explicit_max_ttl: 0,
    name: 'dev',
    orphan: false,
    path_suffix: '',
    period: 0,
    renewable: true,
    token_explicit_max_ttl: 0,
    token_no_default_policy: false,
    token_period: 0,
    token_type: 'default-service',
  }
  const noContent = { status: 204, body: undefined }

  test('write, read, list and delete', async () => {
    const { secrets } = await tokenServer()
    expect(statusAndBody(await secrets.list('auth/token/roles'))).toEqual(error(404))
    expect(statusAndBody(await secrets.post('auth/token/roles/dev', {}))).toEqual(noContent)
    expect(statusAndBody(await secrets.get('auth/token/roles/dev'))).toEqual(ok({ data: role }))
    expect(statusAndBody(await secrets.list('auth/token/roles'))).toEqual(
      ok({ data: { keys: ['dev'] } }),
    )
    expect(statusAndBody(await secrets.delete('auth/token/roles/dev'))).toEqual(noContent)
    expect(statusAndBody(await secrets.get('auth/token/roles/dev'))).toEqual(error(404))
  })

  test('a write changes only the members in its body', async () => {
    const { secrets } = await tokenServer()
    await secrets.post('auth/token/roles/dev', {
      allowed_policies: 'B,a,a',
      disallowed_policies: ['C'],
      period: '1h',
      token_explicit_max_ttl: '2h',
      orphan: true,
      path_suffix: 'rev1',
      token_bound_cidrs: '10.0.0.0/8',
      token_num_uses: 3,
    })
    const expected = {
      ...role,
      allowed_policies: ['a', 'b'],
      disallowed_policies: ['c'],
      period: 3600,
      token_period: 3600,
      token_explicit_max_ttl: 7200,
      orphan: true,
      path_suffix: 'rev1',
      token_bound_cidrs: ['10.0.0.0/8'],
      token_num_uses: 3,
    }
    expect(statusAndBody(await secrets.get('auth/token/roles/dev'))).toEqual(ok({ data: expected }))
    await secrets.post('auth/token/roles/dev', {
      token_period: 60,
      renewable: false,
      token_no_default_policy: true,
      token_type: 'service',
    })
    expect(statusAndBody(await secrets.get('auth/token/roles/dev'))).toEqual(
      ok({
        data: {
          ...expected,
          period: 0,
          token_period: 60,
          renewable: false,
          token_no_default_policy: true,
          token_type: 'service',
        },
      }),
    )
  })

  test('an explicit maximum beyond the mount’s is warned of', async () => {
    const { secrets } = await tokenServer()
    expect(
      statusAndBody(await secrets.post('auth/token/roles/dev', { explicit_max_ttl: month + 1 })),
    ).toEqual(
      ok({
        warnings: [
          `Given explicit max TTL of ${month + 1} is greater than system/mount allowed value of ${month} seconds; until this is fixed attempting to create tokens against this role will result in an error`,
        ],
      }),
    )
  })

  const batch = "'token_type' cannot be 'batch' when role is set to generate"
  test.each([
    [{ token_type: 'odd' }, `invalid 'token_type' value "odd"`],
    [
      { path_suffix: '/x' },
      'given role path suffix contains invalid characters; must match \\w[\\w-.]+\\w',
    ],
    [
      { path_suffix: 'a..b' },
      'error registering path suffix: path cannot contain parent references',
    ],
    [{ token_num_uses: -1 }, "error parsing role fields: 'token_num_uses' cannot be negative"],
    [{ token_type: '' }, `invalid 'token_type' value ""`],
    [
      { token_bound_cidrs: ['10.0.0.0/8', 'x'] },
      'error parsing role fields: error parsing address "x": Unable to convert "x" to an IPv4 or IPv6 address, or a UNIX Socket',
    ],
    [
      { bound_cidrs: 'x' },
      'error parsing bound_cidrs: error parsing address "x": Unable to convert "x" to an IPv4 or IPv6 address, or a UNIX Socket',
    ],
    [{ token_type: 'batch' }, `${batch} non-orphan tokens`],
    [{ token_type: 'batch', orphan: true, period: 1 }, `${batch} periodic tokens`],
    [{ token_type: 'batch', orphan: true }, `${batch} renewable tokens`],
    [
      { token_type: 'batch', orphan: true, renewable: false, explicit_max_ttl: 1 },
      `${batch} tokens with an explicit max TTL`,
    ],
  ])('the role %j is refused', async (body, text) => {
    const { secrets } = await tokenServer()
    expect(statusAndBody(await secrets.post('auth/token/roles/dev', body))).toEqual(
      error(400, text),
    )
  })

  test('an entity alias is refused unless the role allows it', async () => {
    const { secrets } = await tokenServer()
    await secrets.post('auth/token/roles/dev', {})
    expect(
      statusAndBody(await secrets.post('auth/token/create/dev', { entity_alias: 'ada' })),
    ).toEqual(error(400, "invalid 'entity_alias' value"))
  })

  test.each([
    ['orphans', { orphan: true }, {}, { orphan: true }, null],
    ['not renewable', { renewable: false }, {}, { renewable: false }, null],
    ['a period', { period: 60 }, {}, { lease_duration: 60 }, null],
    [
      'the lesser period',
      { period: 60 },
      { period: 90 },
      { lease_duration: 60 },
      [
        'Period specified both during creation call and in role; using the lesser value of 60 seconds',
      ],
    ],
    ['an explicit maximum', { explicit_max_ttl: 60 }, { ttl: 30 }, { lease_duration: 30 }, null],
    [
      'the lesser explicit maximum',
      { explicit_max_ttl: 60 },
      { ttl: 30, explicit_max_ttl: 40 },
      { lease_duration: 30 },
      [
        'Explicit max TTL specified both during creation call and in role; using the lesser value of 40 seconds',
      ],
    ],
    ['uses', { token_num_uses: 4 }, {}, { num_uses: 4 }, null],
    ['the lesser number of uses', { token_num_uses: 4 }, { num_uses: 9 }, { num_uses: 4 }, null],
    [
      'the default policy where it has no lists, whatever it says',
      { token_no_default_policy: true },
      {},
      {
        policies: ['default', 'x'],
        token_policies: ['default', 'x'],
      },
      ['Policy "x" does not exist'],
    ],
    [
      'no default policy where it has lists',
      { token_no_default_policy: true, allowed_policies_glob: '*' },
      {},
      {
        policies: ['x'],
        token_policies: ['x'],
      },
      ['Policy "x" does not exist'],
    ],
    [
      'batch',
      { token_type: 'default-batch' },
      {},
      {
        client_token: expect.stringMatching(/^b\./),
        accessor: '',
        token_type: 'batch',
        renewable: false,
      },
      null,
    ],
    [
      'batch, which keep no uses, period and maximum',
      {
        token_type: 'default-batch',
        token_num_uses: 4,
        token_period: 60,
        token_explicit_max_ttl: 90,
      },
      { ttl: 120 },
      {
        client_token: expect.stringMatching(/^b\./),
        accessor: '',
        token_type: 'batch',
        renewable: false,
        lease_duration: 120,
      },
      null,
    ],
    ['always service', { token_type: 'service' }, { type: 'batch' }, {}, null],
  ])('a role makes tokens with %s', async (_, settings, body, changes, warnings) => {
    const { secrets } = await tokenServer()
    await secrets.post('auth/token/roles/dev', settings)
    const policies = 'policies' in changes ? ['x'] : ['default']
    const reply = await secrets.post('auth/token/create/dev', { policies, ...body })
    expect(statusAndBody(reply)).toEqual(okAuth(changes, warnings))
  })

  test.each([
    ['the allowed ones and default', { allowed_policies: ['a'] }, {}, ['a', 'default']],
    [
      'a part of the allowed ones',
      { allowed_policies: ['a', 'b'] },
      { policies: ['b'] },
      ['b', 'default'],
    ],
    [
      'what a glob allows',
      { allowed_policies_glob: ['team-*-x'] },
      { policies: ['team-a-x'] },
      ['default', 'team-a-x'],
    ],
    [
      'no default where that is disallowed',
      { disallowed_policies: ['default'] },
      { policies: ['a'] },
      ['a'],
    ],
    ['default alone where it has globs alone', { allowed_policies_glob: ['a*'] }, {}, ['default']],
    [
      "its parent's where it only disallows",
      { disallowed_policies: ['a'], orphan: true },
      {},
      ['root'],
    ],
    ['no default on request', { allowed_policies: ['a'] }, { no_default_policy: true }, ['a']],
  ])('a role decides on policies: %s', async (_, settings, body, policies) => {
    const { secrets } = await tokenServer()
    await secrets.post('auth/token/roles/dev', settings)
    const reply = await secrets.post('auth/token/create/dev', body)
    expect(reply.body.auth.policies).toEqual(policies)
  })

  test.each([
    [
      { allowed_policies: ['a'], allowed_policies_glob: ['b*'] },
      `token policies (["c" "default"]) must be subset of the role's allowed policies (["a" "default"]) or glob policies (["b*"])`,
    ],
    [{ disallowed_policies: ['c'] }, 'token policy "c" is disallowed by this role'],
    [{ disallowed_policies_glob: ['*c*'] }, 'token policy "c" is disallowed by this role'],
    [
      { allowed_policies_glob: ['c*c', 'd*'] },
      `token policies (["c" "default"]) must be subset of the role's allowed policies (["default"]) or glob policies (["c*c" "d*"])`,
    ],
  ])('the role %j refuses the policy c', async (settings, text) => {
    const { secrets } = await tokenServer()
    await secrets.post('auth/token/roles/dev', settings)
    expect(statusAndBody(await secrets.post('auth/token/create/dev', { policies: ['c'] }))).toEqual(
      error(400, text),
    )
  })

  test('an unknown role is refused', async () => {
    const { secrets } = await tokenServer()
    expect(statusAndBody(await secrets.post('auth/token/create/dev', {}))).toEqual(
      error(400, 'unknown role dev'),
    )
  })

  test('path and role show in a look-up; a renewal follows the role of today', async () => {
    const { secrets, as } = await tokenServer()
    await secrets.post('auth/token/roles/dev', { period: 60, path_suffix: 'rev1' })
    const created = await secrets.post('auth/token/create/dev', { policies: ['default'] })
    const client = as(created.body.auth.client_token)

    expect((await client.get('auth/token/lookup-self')).body.data).toMatchObject({
      path: 'auth/token/create/dev/rev1',
      role: 'dev',
    })
    await secrets.post('auth/token/roles/dev', { period: 90 })
    expect((await client.post('auth/token/renew-self')).body.auth.lease_duration).toBe(90)
    await secrets.delete('auth/token/roles/dev')
    expect(statusAndBody(await client.post('auth/token/renew-self'))).toEqual(
      error(400, 'original token role "dev" could not be found, not renewing'),
    )
  })
})

describe.each(['neutral', 'vendor'] as const)(
  'behaviour/secrets#tokens, %s: fields of a request',
  (dialect) => {
    test('a text of policies is one name, commas and all', async () => {
      const { secrets } = await servedSecrets({ dialect })
      const { body } = await secrets.post('auth/token/create', { policies: 'a,b' })
      expect(body.auth.policies).toEqual(['a,b', 'default'])
      expect(body.warnings).toEqual(['Policy "a,b" does not exist'])
    })

    test.each([
      [{ ttl: true }, 1],
      [{ lease: true }, 1],
      [{ ttl: 90 }, 90],
      [{ ttl: '', lease: 30 }, 30],
      [{ ttl: '1h', lease: 30 }, 3600],
      [{ ttl: '2d' }, 172_800],
    ])('%j is a life of %i seconds', async (body, seconds) => {
      const { secrets } = await servedSecrets({ dialect })
      const created = await secrets.post('auth/token/create', { policies: ['default'], ...body })
      expect(created.body.auth.lease_duration).toBe(seconds)
    })

    test('token_policies is omitted if there are none', async () => {
      const { secrets } = await servedSecrets({ dialect })
      const body = { policies: ['default'], no_default_policy: true }
      const { auth } = (await secrets.post('auth/token/create', body)).body
      expect(auth.policies).toEqual([])
      expect(auth).not.toHaveProperty('token_policies')
    })

    test('an unknown role is reported before an invalid duration', async () => {
      const { secrets } = await servedSecrets({ dialect })
      const reply = await secrets.post('auth/token/create/dev', { ttl: 'x', type: 'odd' })
      expect(statusAndBody(reply)).toEqual(error(400, 'unknown role dev'))
    })

    test('chosen ids are free of prefixes and periods, and looked at last', async () => {
      const { secrets } = await servedSecrets({ dialect })
      const refusal = async (body: object) =>
        (await secrets.post('auth/token/create', { policies: ['default'], ...body })).body.errors
      const period = "custom token ID cannot have a '.' in the value"
      const prefix = (text: string) => `custom token ID cannot have the '${text}' prefix`
      expect(await refusal({ id: 's.a' })).toEqual([prefix('s.')])
      expect(await refusal({ id: 'hvs.a' })).toEqual([
        dialect === 'vendor' ? prefix('hvs.') : period,
      ])
      expect(await refusal({ id: 'a.b' })).toEqual([period])
      expect(await refusal({ id: 'root', ttl: -1 })).toEqual(['ttl must be positive'])
      expect(await refusal({ id: 'root' })).toEqual(['cannot create a token with a duplicate ID'])
    })

    test('create-orphan needs sudo only if the request also sets no_parent', async () => {
      const { secrets, as } = await servedSecrets({ dialect })
      const policy = 'path "auth/token/create-orphan" { capabilities = ["update"] }'
      await secrets.post('sys/policies/acl/orphans', { policy })
      const created = await secrets.post('auth/token/create', { policies: ['orphans'] })
      const client = as(created.body.auth.client_token)
      expect((await client.post('auth/token/create-orphan', {})).body.auth.orphan).toBe(true)
      expect(
        statusAndBody(await client.post('auth/token/create-orphan', { no_parent: true })),
      ).toEqual(error(400, 'root or sudo privileges required to create orphan token'))
    })
  },
)

describe.each(['neutral', 'vendor'] as const)(
  'behaviour/secrets#token-roles, %s: old names and returned values',
  (dialect) => {
    test('a stored batch type refuses a period or uses at the next write without a type', async () => {
      const { secrets } = await servedSecrets()
      const at = 'auth/token/roles/batches'
      const text = (what: string) =>
        `error parsing role fields: 'token_type' cannot be 'batch' or 'default_batch' when set to generate ${what}`
      await secrets.post(at, { token_type: 'default-batch', period: '5m' })
      expect(statusAndBody(await secrets.post(at, {}))).toEqual(error(400, text('periodic tokens')))
      const reply = await secrets.post(at, { token_period: 0, token_num_uses: 2 })
      expect(statusAndBody(reply)).toEqual(error(400, text('tokens with limited use count')))
      expect((await secrets.post(at, { token_period: 0 })).status).toBe(204)
    })

    test('old names count if the new ones are missing, and values are returned under both', async () => {
      const { secrets } = await servedSecrets({ dialect })
      const role = async () => (await secrets.get('auth/token/roles/dev')).body.data
      await secrets.post('auth/token/roles/dev', {
        period: 60,
        explicit_max_ttl: 90,
        bound_cidrs: '10.0.0.1/32,/run/x',
      })
      expect(await role()).toMatchObject({
        period: 60,
        token_period: 60,
        explicit_max_ttl: 90,
        token_explicit_max_ttl: 90,
        bound_cidrs: ['10.0.0.1', '/run/x'],
        token_bound_cidrs: ['10.0.0.1', '/run/x'],
      })
      const reply = await secrets.post('auth/token/roles/dev', {
        period: 1,
        token_period: 2,
        explicit_max_ttl: 3,
        token_explicit_max_ttl: 4,
        bound_cidrs: ['10.0.0.2'],
        token_bound_cidrs: ['10.0.0.3'],
      })
      const both = (name: string) =>
        `Both 'token_${name}' and deprecated '${name}' value supplied, ignoring the deprecated value`
      expect(statusAndBody(reply)).toEqual(
        ok({ warnings: [both('period'), both('bound_cidrs'), both('explicit_max_ttl')] }),
      )
      const after = await role()
      expect(after).toMatchObject({
        period: 0,
        token_period: 2,
        explicit_max_ttl: 0,
        token_explicit_max_ttl: 4,
        token_bound_cidrs: ['10.0.0.3'],
      })
      expect(after).not.toHaveProperty('bound_cidrs')
    })

    test('a suffix has three characters of a name somewhere', async () => {
      const { secrets } = await servedSecrets({ dialect })
      const write = (path_suffix: string) => secrets.post('auth/token/roles/dev', { path_suffix })
      expect((await write('ab')).status).toBe(400)
      expect((await write('abc')).status).toBe(204)
      expect((await write('/abc/')).status).toBe(204)
    })

    test("a role's period and maximum apply, but a look-up returns those of the request", async () => {
      const { secrets, as, clock } = await servedSecrets({ dialect })
      await secrets.post('auth/token/roles/dev', { token_period: 60, token_explicit_max_ttl: 90 })
      const created = await secrets.post('auth/token/create/dev', { policies: ['default'] })
      const client = as(created.body.auth.client_token)
      const { data } = (await client.get('auth/token/lookup-self')).body
      expect(data).toMatchObject({ role: 'dev', explicit_max_ttl: 0, creation_ttl: 60 })
      expect(data).not.toHaveProperty('period')
      clock.advance(50_000)
      expect((await client.post('auth/token/renew-self')).body.auth.lease_duration).toBe(40)

      const asked = { policies: ['default'], period: 30, explicit_max_ttl: 80 }
      const other = await secrets.post('auth/token/create/dev', asked)
      const lookup = await as(other.body.auth.client_token).get('auth/token/lookup-self')
      expect(lookup.body.data).toMatchObject({ period: 30, explicit_max_ttl: 80 })
    })

    test('an entity alias that the role allows makes the same entity each time', async () => {
      const { secrets } = await servedSecrets({ dialect })
      await secrets.post('auth/token/roles/dev', { allowed_entity_aliases: ['Ada', 'team-*'] })
      expect((await secrets.get('auth/token/roles/dev')).body.data.allowed_entity_aliases).toEqual([
        'ada',
        'team-*',
      ])
      const entityOf = async (entity_alias: string) => {
        const body = { policies: ['default'], entity_alias }
        return (await secrets.post('auth/token/create/dev', body)).body.auth?.entity_id
      }
      const ada = await entityOf('Ada')
      expect(ada).toMatch(/^[0-9a-f-]{36}$/)
      expect(await entityOf('Ada')).toBe(ada)
      expect(await entityOf('team-x')).not.toBe(ada)
      expect(await entityOf('bob')).toBeUndefined()
    })
  },
)
