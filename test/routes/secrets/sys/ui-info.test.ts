import { describe, expect, test } from 'vitest'
import { servedSecrets } from '../../../support/secrets/secrets.ts'
import { error, multierrorReply, ok, statusAndBody } from '../replies.ts'

describe.each(['neutral', 'vendor'] as const)(
  'behaviour/secrets#small-endpoints, %s: requests of user interfaces',
  (dialect) => {
    /** Starts a server and a client whose policies have these documents. */
    async function withPolicies(...documents: readonly string[]) {
      const server = await servedSecrets({ dialect })
      const names = documents.map((_, at) => `p${at}`)
      for (const [at, policy] of documents.entries()) {
        await server.secrets.post(`sys/policies/acl/p${at}`, { policy })
      }
      const body = { policies: names, no_default_policy: true }
      const created = await server.secrets.post('auth/token/create', body)
      return { ...server, client: server.as(created.body.auth.client_token) }
    }

    const mayRead = 'path "sys/internal/ui/resultant-acl" { capabilities = ["read"] }'

    test('resultant-acl of root is root', async () => {
      const { secrets } = await servedSecrets({ dialect })
      expect(statusAndBody(await secrets.get('sys/internal/ui/resultant-acl'))).toEqual(
        ok({ data: { root: true } }),
      )
    })

    test('resultant-acl returns the rules of all policies except those with +', async () => {
      const { client } = await withPolicies(
        mayRead,
        `path "a/*" { capabilities = ["read", "update", "patch"] }
         path "b" {
           capabilities = ["create"]
           allowed_parameters = { "X" = ["1", 2] }
           denied_parameters = { "y" = [] }
           required_parameters = ["x"]
           min_wrapping_ttl = "1m"
           max_wrapping_ttl = "2m"
         }
         path "c/+/d" { capabilities = ["read"] }
         path "e" { capabilities = [] }
         path "f" { capabilities = ["read", "deny"] }`,
        'path "a/*" { capabilities = ["list", "sudo", "delete", "create"] }',
      )
      expect(statusAndBody(await client.get('sys/internal/ui/resultant-acl'))).toEqual(
        ok({
          data: {
            root: false,
            exact_paths: {
              'sys/internal/ui/resultant-acl': { capabilities: ['read'] },
              b: {
                capabilities: ['create'],
                allowed_parameters: { x: ['1', 2] },
                denied_parameters: { y: [] },
                required_parameters: ['x'],
                min_wrapping_ttl: 60,
                max_wrapping_ttl: 120,
              },
              e: { capabilities: ['deny'] },
              f: { capabilities: ['deny'] },
            },
            glob_paths: {
              'a/': {
                capabilities: ['create', 'delete', 'list', 'read', 'sudo', 'update', 'patch'],
              },
            },
          },
        }),
      )
    })

    test('resultant-acl needs a token whose policies allow it', async () => {
      const { secrets, client } = await withPolicies('path "a" { capabilities = ["read"] }')
      expect(statusAndBody(await client.get('sys/internal/ui/resultant-acl'))).toEqual(
        multierrorReply(403, 'permission denied'),
      )
      expect(
        statusAndBody(await secrets.get('sys/internal/ui/resultant-acl', { token: null })),
      ).toEqual(error(403, 'permission denied'))
    })

    test('namespaces: all below that the token may use, relative', async () => {
      const { secrets, client } = await withPolicies('path "a/b/kv/*" { capabilities = ["read"] }')
      const list = async (at: string, who = secrets) =>
        (await who.get(`${at}sys/internal/ui/namespaces`)).body.data.keys
      expect(await list('')).toEqual([''])
      await secrets.post('sys/namespaces/a', {})
      await secrets.post('a/sys/namespaces/b', {})
      await secrets.post('sys/namespaces/c', {})
      expect(await list('')).toEqual(['a/', 'a/b/', 'c/'])
      expect(await list('a/')).toEqual(['b/'])
      expect(await list('', client)).toEqual(['a/', 'a/b/'])
      expect(await list('c/', client)).toEqual([''])
    })

    test('namespaces are refused without a token and with a bad one', async () => {
      const { secrets } = await servedSecrets({ dialect })
      const path = 'sys/internal/ui/namespaces'
      expect(statusAndBody(await secrets.get(path, { token: null }))).toEqual(
        error(dialect === 'vendor' ? 500 : 403, 'client token empty'),
      )
      expect(statusAndBody(await secrets.get(path, { token: 'nobody' }))).toEqual(
        error(403, 'permission denied'),
      )
    })

    test('feature-flags: an empty list, for every caller', async () => {
      const { secrets } = await servedSecrets({ dialect })
      const reply = await secrets.get('sys/internal/ui/feature-flags', { token: null })
      expect(statusAndBody(reply)).toEqual({ status: 200, body: { feature_flags: null } })
    })
  },
)
