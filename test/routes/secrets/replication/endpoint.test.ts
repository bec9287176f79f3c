import { once } from 'node:events'
import { request } from 'node:http'
import { describe, expect, test } from 'vitest'
import { replicationPrefix } from '../../../../routes/secrets/replication/messages.ts'
import {
  activationToken,
  type Cluster,
  dr,
  follow,
  twoClusters,
  waitUntil,
} from '../../../support/secrets/replication.ts'
import { servedCluster } from '../../../support/secrets/served-cluster.ts'
import { error, statusAndBody } from '../replies.ts'

/** Returns an outstanding membership, as a secondary gets it from its activation token. */
async function invitation(cluster: Cluster): Promise<{ credential: string; cluster_id: string }> {
  const token = await activationToken(cluster)
  return (await cluster.secrets.post('sys/wrapping/unwrap', { token })).body.data
}

const introduction = { node_id: 'n', api_address: 'http://x' }

/** Starts a cluster and a client of the endpoint for other processes. */
async function raw() {
  const { app, first, second, worlds } = await twoClusters()
  const ask = async (
    method: 'GET' | 'POST',
    path: string,
    credential: string | undefined,
    payload?: string,
  ) => {
    const response = await app.inject({
      method,
      url: `${replicationPrefix}/${path}`,
      ...(payload === undefined ? {} : { payload }),
      headers: credential === undefined ? {} : { authorization: `Bearer ${credential}` },
    })
    const { statusCode: status, body: text } = response
    return { status, body: text === '' ? undefined : JSON.parse(text) }
  }
  return { app, worlds, first, second, ask }
}

describe('behaviour/program#clusters: the endpoint for secondaries of other processes', () => {
  // choice/secrets#replication-transport
  test('a secondary joins once with the credential of an activation token', async () => {
    const { first, ask } = await raw()
    const { credential } = await invitation(first)
    const join = () => ask('POST', 'activate', credential, JSON.stringify(introduction))
    expect(await join()).toEqual({ status: 204, body: undefined })
    expect((await first.status()).secondaries).toEqual([
      {
        api_address: 'http://x',
        cluster_address: 'https://x:81',
        connection_status: 'disconnected',
        last_heartbeat: '0001-01-01T00:00:00Z',
        node_id: 'n',
      },
    ])
    expect(await join()).toEqual(error(400, 'unknown, expired or used credential'))
  })

  test.each([undefined, '', 'wrong', 'root'])('credential %j is refused', async (credential) => {
    const { first, ask } = await raw()
    await activationToken(first)
    expect(await ask('POST', 'activate', credential, JSON.stringify(introduction))).toEqual(
      error(400, 'unknown, expired or used credential'),
    )
    expect(await ask('GET', 'stream', credential)).toEqual(error(403, 'permission denied'))
  })

  test('a secondary that has not joined gets no stream, and nothing from another cluster', async () => {
    const { first, ask } = await raw()
    const { credential } = await invitation(first)
    expect(await ask('GET', 'stream', credential)).toEqual(error(403, 'permission denied'))
    await first.secrets.post(`${dr}/primary/disable`)
    expect(await ask('POST', 'activate', credential, JSON.stringify(introduction))).toEqual(
      error(400, 'unknown, expired or used credential'),
    )
  })

  test.each([
    [undefined, 'error parsing JSON'],
    ['', 'error parsing JSON'],
    ['{', 'error parsing JSON'],
    ['null', 'the body must be object'],
    ['[]', 'the body must be object'],
    ['{}', '/node_id is missing'],
    ['{"node_id":1,"api_address":"x"}', '/node_id must be string'],
    ['{"node_id":"n","api_address":null}', '/api_address must be string'],
  ])('introduction %j is refused', async (payload, why) => {
    const { first, ask } = await raw()
    const { credential } = await invitation(first)
    expect(await ask('POST', 'activate', credential, payload)).toEqual(error(400, why))
    // The secondary may still join.
    expect((await ask('POST', 'activate', credential, JSON.stringify(introduction))).status).toBe(
      204,
    )
  })

  test('a sealed cluster is unavailable', async () => {
    const { first, ask } = await raw()
    const { credential } = await invitation(first)
    await first.secrets.post('sys/seal')
    const sealed = error(503, 'Service is sealed')
    expect(await ask('POST', 'activate', credential, JSON.stringify(introduction))).toEqual(sealed)
    expect(await ask('GET', 'stream', credential)).toEqual(sealed)
  })

  test('other methods, paths and worlds get 404', async () => {
    const { app, ask } = await raw()
    expect(await ask('GET', 'activate', 'x')).toEqual(error(404))
    expect(await ask('POST', 'stream', 'x')).toEqual(error(404))
    expect(await ask('GET', 'nothing', 'x')).toEqual(error(404))
    const response = await app.inject({ url: `/_world/none${replicationPrefix}/stream` })
    expect(response.statusCode).toBe(404)
    expect(response.json()).toEqual({ errors: ['there is no world "none"'] })
  })

  // choice/secrets#replication-transport
  test('invalid positions are ignored: the stream starts with a snapshot', async () => {
    const { app, first, ask } = await raw()
    const { credential } = await invitation(first)
    await ask('POST', 'activate', credential, JSON.stringify(introduction))
    for (const query of [
      '',
      'sequence=x',
      'feed=f&sequence=-1',
      'sequence=1&sequence=2',
      'root=',
    ]) {
      const response = await app.inject({
        url: `${replicationPrefix}/stream?${query}`,
        headers: { authorization: `Bearer ${credential}` },
        payloadAsStream: true,
      })
      expect(response.statusCode).toBe(200)
      expect(response.headers['content-type']).toBe('application/x-ndjson')
      const lines: string[] = []
      for await (const chunk of response.stream()) {
        lines.push(String(chunk))
        break
      }
      expect(JSON.parse(lines.join('').split('\n')[0] ?? '')).toEqual({
        kind: 'hello',
        cluster_id: (await first.status()).cluster_id,
        feed: expect.any(String),
        snapshot: true,
      })
    }
  })

  test.each(['before the answer', 'at the head of the answer', 'in the middle of it'])(
    'a secondary that disconnects %s is no longer listed as connected',
    async (when) => {
      const primary = await servedCluster()
      for (let at = 0; at < 8; at++) {
        await primary.secrets.post(`kv/long-${at}`, { a: 'x'.repeat(1_000_000) })
      }
      const { credential } = await invitation(primary)
      const authorization = `Bearer ${credential}`
      await fetch(`${primary.url}${replicationPrefix}/activate`, {
        method: 'POST',
        headers: { authorization },
        body: JSON.stringify(introduction),
      })
      const connectionStatus = async () => (await primary.status()).secondaries[0].connection_status
      const url = `${primary.url}${replicationPrefix}/stream`
      const asked = request(url, { agent: false, headers: { authorization } }).end()
      asked.on('error', () => {})
      if (when === 'before the answer')
        await waitUntil(async () => (await connectionStatus()) !== '')
      else {
        const [response] = await once(asked, 'response')
        expect(response.statusCode).toBe(200)
        if (when === 'in the middle of it') await once(response, 'data')
        await waitUntil(async () => (await connectionStatus()) === 'connected')
      }
      asked.destroy()
      await waitUntil(async () => (await connectionStatus()) === 'disconnected')
    },
  )

  test('invalid requests do not stop the server', async () => {
    const { first, second, ask } = await raw()
    await ask('POST', 'activate', 'x', 'garbage')
    await follow(first, second)
    expect(statusAndBody(await first.secrets.get('kv/none'))).toEqual(error(404))
  })
})
