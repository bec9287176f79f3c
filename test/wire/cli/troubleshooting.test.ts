import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createUnderstudy } from '../../../src/embedding/index.ts'
import { run, start } from '../../support/command.ts'

const text = readFileSync(new URL('../../../docs/troubleshooting.md', import.meta.url), 'utf8')

type Options = Parameters<typeof createUnderstudy>[0]

/** Returns the reply of a server with these options, in the vendor dialect, to a request. */
async function responseText(
  request: { url: string; headers?: Record<string, string>; body?: unknown },
  options: Options = {},
  before?: { url: string; body: unknown },
): Promise<string> {
  await using understudy = await createUnderstudy({ dialect: 'vendor', ...options })
  if (before !== undefined) {
    await understudy.inject({
      method: 'POST',
      url: before.url,
      payload: JSON.stringify(before.body),
    })
  }
  const { url, headers = {}, body } = request
  const method = body === undefined ? 'GET' : 'POST'
  const payload = body === undefined ? {} : { payload: JSON.stringify(body) }
  return (await understudy.inject({ method, url, headers, ...payload })).body
}

/** Returns the reply of the mesh on its own listener. */
async function meshReply(path: string): Promise<string> {
  await using understudy = await createUnderstudy({ dialect: 'vendor', apiPorts: { mesh: 0 } })
  await understudy.listen()
  return (await fetch(`${understudy.apiUrl('mesh')}${path}`)).text()
}

const root = { 'x-vault-token': 'root' }
const stderrOf = async (...argv: string[]) => (await run(argv)).stderr

/** Functions that provoke each text that has a heading on the page. */
const causes: Readonly<Record<string, () => Promise<string>>> = {
  'connect ECONNREFUSED': () => stderrOf('env', '--url=http://127.0.0.1:1'),
  'is already in use': async () => {
    const { origins } = await start(['--port=0'])
    return stderrOf(`--port=${new URL(origins.secrets).port}`)
  },
  'unable to verify the first certificate': async () => {
    const { origins } = await start(['--port=0', '--tls'])
    const refused = await fetch(origins.secrets).catch((error: Error) => error.cause)
    return String(refused)
  },
  'permission denied': () => responseText({ url: '/v1/secret/data/app' }),
  'no handler for route': () => responseText({ url: '/v1/transit/keys/x', headers: root }),
  'Invalid path for a versioned K/V secrets engine': () =>
    responseText({ url: '/v1/secret/app', headers: root }),
  'check-and-set parameter did not match the current version': () =>
    responseText({
      url: '/v1/secret/data/app',
      headers: root,
      body: { options: { cas: 3 }, data: {} },
    }),
  'Vault is sealed': () => responseText({ url: '/v1/sys/mounts', headers: root }, {}, sealing),
  unauthorized: () => responseText({ url: '/api/v2/account/details' }),
  'not found': () =>
    responseText({
      url: '/api/v2/organizations/nobody',
      headers: { authorization: 'Bearer owner-token' },
    }),
  'ACL support disabled': () => meshReply('/v1/acl/tokens'),
  'Permission denied': () => responseText({ url: '/v1/jobs' }, { acl: true }),
  'Invalid URL path': () => meshReply('/v1/internal/ui/services'),
  'job not found': () => responseText({ url: '/v1/job/none' }),
  'No cluster leader': () =>
    responseText({ url: '/v1/jobs' }, { options: { scheduler: { noLeader: true } } }),
  'there is no world': () => responseText({ url: '/_world/none/v1/sys/health' }),
  'the request names no world': () =>
    responseText({ url: '/v1/sys/health' }, { defaultWorld: false }),
  'the control plane does not answer to the host name': () =>
    responseText({ url: '/_mock/info', headers: { host: 'mock.example.com' } }),
  'the control plane wants its token': () =>
    responseText({ url: '/_mock/info' }, { controlToken: 'k' }),
  'there is nothing at': () => responseText({ url: '/_mock/nothing' }),
  'the initial state was rejected': () => stderrOf('--options={"secrets":{"clusterNam":"x"}}'),
  'unknown flag': () => stderrOf('--prot=0'),
}

const sealing = { url: '/_mock/transitions/secrets.node/self', body: { to: 'sealed' } }

describe('troubleshooting: from the text a client shows to its cause', () => {
  test.each(Object.entries(causes))(
    'the cause on the page provokes %s',
    async (documentedText, cause) => {
      expect(await cause()).toContain(documentedText)
    },
  )

  test('every heading is a text that can be provoked, and occurs once', () => {
    const headings = [...text.matchAll(/^### `(.*)`$/gm)].map(
      ([, documentedText]) => documentedText,
    )
    expect(headings).toEqual(Object.keys(causes))
  })
})
