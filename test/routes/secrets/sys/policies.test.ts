import { describe, expect, test } from 'vitest'
import { defaultPolicy } from '../../../../state/secrets/policies/policies.ts'
import { servedSecrets } from '../../../support/secrets/secrets.ts'
import { error, noContent, ok, statusAndBody } from '../replies.ts'

const policy = 'path "a" { capabilities = ["read"] }'

describe('behaviour/secrets#policies: sys/policies/acl', () => {
  test('write, read, list and delete', async () => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await secrets.post('sys/policies/acl/one', { policy }))).toEqual(noContent)
    expect(statusAndBody(await secrets.put('sys/policies/acl/team/two', { policy }))).toEqual(
      noContent,
    )

    expect(statusAndBody(await secrets.get('sys/policies/acl/one'))).toEqual(
      ok({ data: { name: 'one', policy } }),
    )
    expect(statusAndBody(await secrets.list('sys/policies/acl'))).toEqual(
      ok({ data: { keys: ['default', 'one', 'team/two', 'root'] } }),
    )
    expect(statusAndBody(await secrets.delete('sys/policies/acl/one'))).toEqual(noContent)
    expect(statusAndBody(await secrets.delete('sys/policies/acl/one'))).toEqual(noContent)
    expect(statusAndBody(await secrets.get('sys/policies/acl/one'))).toEqual(error(404))
  })

  test('a fresh world has the policies default and root', async () => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await secrets.get('sys/policies/acl/default'))).toEqual(
      ok({ data: { name: 'default', policy: defaultPolicy } }),
    )
    expect(statusAndBody(await secrets.get('sys/policies/acl/root'))).toEqual(
      ok({ data: { name: 'root', policy: '' } }),
    )
  })

  test('a name is lower-cased, with a warning', async () => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await secrets.post('sys/policies/acl/One', { policy }))).toEqual(
      ok({ warnings: ['policy name was converted to one'] }),
    )
    expect(statusAndBody(await secrets.get('sys/policies/acl/ONE'))).toEqual(
      ok({ data: { name: 'one', policy } }),
    )
  })

  test('base64 is decoded', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('sys/policies/acl/one', { policy: Buffer.from(policy).toString('base64') })
    expect((await secrets.get('sys/policies/acl/one')).body.data.policy).toBe(policy)
  })

  test.each([
    ['one', {}, "'policy' parameter not supplied or empty"],
    ['one', { policy: '' }, "'policy' parameter not supplied or empty"],
    ['root', { policy }, 'cannot update "root" policy'],
    [
      'one',
      { policy: 'path "x" { capabilities = ["y"] }' },
      'failed to parse policy: path "x": invalid capability "y"',
    ],
    [
      'one',
      { policy: 'path "a+*" { capabilities = ["read"] }' },
      `failed to parse policy: path "a+*": invalid use of wildcards ('+*' is forbidden)`,
    ],
  ])('POST %s %j: %s', async (name, body, text) => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await secrets.post(`sys/policies/acl/${name}`, body))).toEqual(
      error(400, text),
    )
  })

  test.each([
    ['root', 'cannot delete "root" policy'],
    ['default', 'cannot delete default policy'],
  ])('DELETE %s: %s', async (name, text) => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await secrets.delete(`sys/policies/acl/${name}`))).toEqual(
      error(400, text),
    )
  })
})

describe('behaviour/secrets#policies: sys/policy, the old path', () => {
  test('repeats the keys of data at top level', async () => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await secrets.post('sys/policy/one', { policy }))).toEqual(noContent)

    const names = ['default', 'one', 'root']
    const listed = ok({ data: { keys: names, policies: names }, keys: names, policies: names })
    expect(statusAndBody(await secrets.get('sys/policy'))).toEqual(listed)
    expect(statusAndBody(await secrets.list('sys/policy'))).toEqual(listed)
    expect(statusAndBody(await secrets.get('sys/policy/one'))).toEqual(
      ok({ data: { name: 'one', rules: policy }, name: 'one', rules: policy }),
    )
    expect(statusAndBody(await secrets.delete('sys/policy/one'))).toEqual(noContent)
    expect(statusAndBody(await secrets.get('sys/policy/one'))).toEqual(error(404))
  })

  test('takes the document as rules, with a warning', async () => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await secrets.put('sys/policy/One', { rules: policy }))).toEqual(
      ok({
        warnings: [
          "'rules' is deprecated, please use 'policy' instead",
          'policy name was converted to one',
        ],
      }),
    )
    expect(statusAndBody(await secrets.get('sys/policies/acl/one'))).toEqual(
      ok({ data: { name: 'one', policy } }),
    )
  })

  test('refuses as the new path does', async () => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await secrets.post('sys/policy/one', {}))).toEqual(
      error(400, "'policy' parameter not supplied or empty"),
    )
    expect(statusAndBody(await secrets.delete('sys/policy/root'))).toEqual(
      error(400, 'cannot delete "root" policy'),
    )
  })
})

describe.each(['neutral', 'vendor'] as const)(
  "behaviour/secrets#policies, %s: the parser's words and the policy default",
  (dialect) => {
    test.each([
      ['rules = 1', '1 error occurred:\n\t* invalid key "rules" on line 1\n\n'],
      [
        'path "x" {\n  denied_parameters = "y"\n}',
        'path "x": At 2:23: root.denied_parameters: not an object type for map (*ast.LiteralType)',
      ],
      [
        'path "x" { min_wrapping_ttl = "x" }',
        'error parsing min_wrapping_ttl: time: invalid duration "x"',
      ],
    ])('%j is refused', async (policy, text) => {
      const { secrets } = await servedSecrets({ dialect })
      expect(statusAndBody(await secrets.post('sys/policies/acl/one', { policy }))).toEqual(
        error(400, `failed to parse policy: ${text}`),
      )
    })

    test.each([
      ['sys/internal/ui/resultant-acl', ['read']],
      ['sys/tools/hash', ['update']],
      ['sys/tools/hash/sha2-512', ['update']],
      ['sys/renew', ['update']],
      ['sys/tools/random', ['deny']],
    ])('default gives %s %j', async (path, capabilities) => {
      const { secrets, as } = await servedSecrets({ dialect })
      const created = await secrets.post('auth/token/create', { policies: ['default'] })
      const client = as(created.body.auth.client_token)
      const reply = await client.post('sys/capabilities-self', { paths: [path] })
      expect(reply.body.data.capabilities).toEqual(capabilities)
    })

    test("default has rules for its holder's own entity", async () => {
      const { secrets } = await servedSecrets({ dialect })
      const { policy } = (await secrets.get('sys/policies/acl/default')).body.data
      expect(policy).toContain('path "identity/entity/id/{{identity.entity.id}}"')
      expect(policy).toContain('path "identity/entity/name/{{identity.entity.name}}"')
    })
  },
)
