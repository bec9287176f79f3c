import { describe, expect, test } from 'vitest'
import { type SecretsClient, servedSecrets } from '../../../support/secrets/secrets.ts'
import { refusedReply } from './kv-replies.ts'

const denied = refusedReply(403, '1 error occurred:\n\t* permission denied\n\n')

/** Returns a client that has only this capability on the paths below `secret/` and `kv/`. */
async function clientWith(capability: string) {
  const { secrets, as } = await servedSecrets()
  const policy = ['secret/*', 'kv/*']
    .map((path) => `path "${path}" { capabilities = ["${capability}"] }`)
    .join('\n')
  await secrets.post('sys/policies/acl/only', { policy })
  const login = await secrets.post('auth/token/create', { policies: ['only'] })
  await secrets.post('secret/data/old', { data: {} })
  await secrets.post('kv/old', { a: 1 })
  return as(login.body.auth.client_token)
}

type Act = (secrets: SecretsClient) => Promise<{ status: number; body?: unknown }>

const acts: Readonly<Record<string, Act>> = {
  'POST data, new': (secrets) => secrets.post('secret/data/new', { data: {} }),
  'POST data, existing': (secrets) => secrets.post('secret/data/old', { data: {} }),
  'PATCH data': (secrets) => secrets.patch('secret/data/old', { data: {} }),
  'GET data': (secrets) => secrets.get('secret/data/old'),
  'DELETE data': (secrets) => secrets.delete('secret/data/old'),
  'POST delete': (secrets) => secrets.post('secret/delete/new', { versions: [1] }),
  'POST undelete': (secrets) => secrets.post('secret/undelete/old', { versions: [1] }),
  'POST destroy': (secrets) => secrets.post('secret/destroy/new', { versions: [1] }),
  'POST metadata, new': (secrets) => secrets.post('secret/metadata/newer', { max_versions: 1 }),
  'POST metadata, existing': (secrets) => secrets.post('secret/metadata/old', { max_versions: 1 }),
  'PATCH metadata': (secrets) => secrets.patch('secret/metadata/old', { max_versions: 1 }),
  'LIST metadata': (secrets) => secrets.list('secret/metadata'),
  'POST config': (secrets) => secrets.post('secret/config', { max_versions: 1 }),
  'POST v1, new': (secrets) => secrets.post('kv/new', { a: 1 }),
  'POST v1, existing': (secrets) => secrets.post('kv/old', { a: 1 }),
}

/** Operations that each capability allows on its own. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  create: ['POST data, new', 'POST metadata, new', 'POST v1, new'],
  update: [
    'POST data, existing',
    'POST delete',
    'POST undelete',
    'POST destroy',
    'POST metadata, existing',
    'POST config',
    'POST v1, existing',
  ],
  patch: ['PATCH data', 'PATCH metadata'],
  read: ['GET data'],
  delete: ['DELETE data'],
  list: ['LIST metadata'],
}

describe('behaviour/secrets#api-kv2: capabilities', () => {
  test.each(Object.keys(allowed))('%s alone', async (capability) => {
    const secrets = await clientWith(capability)
    const permitted: string[] = []
    for (const [name, act] of Object.entries(acts)) {
      const { status, body } = await act(secrets)
      if (status < 300) permitted.push(name)
      else expect([name, { status, body }]).toEqual([name, denied])
    }

    expect(permitted).toEqual(allowed[capability])
  })
})
