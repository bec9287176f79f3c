import { describe, expect, onTestFinished, test } from 'vitest'
import { createUnderstudy } from '../../../src/embedding/index.ts'
import { requestText, WireClient } from '../wire-client.ts'

async function served() {
  const understudy = await createUnderstudy({ dialect: 'vendor', port: 0 })
  onTestFinished(() => understudy.close())
  const url = await understudy.listen()
  const port = Number(new URL(url).port)
  return { understudy, open: () => WireClient.open({ port }) }
}

describe('behaviour/program#receiving: heads of requests', () => {
  test('the 1,500th header of a request is read', async () => {
    const { open } = await served()
    const client = await open()
    const many = Array.from({ length: 1_500 }, (_, at) => `X-Filler-${at}: v\r\n`).join('')
    await client.send(requestText('GET', '/v1/secret/data/a', '', `${many}X-Vault-Token: root\r\n`))
    expect((await client.answer()).status).toBe(404)
  })

  test('two Host headers are refused before any API, and recorded', async () => {
    const { understudy, open } = await served()
    const client = await open()
    const headers = 'host: mock.test\r\nX-Vault-Token: root\r\n'
    await client.send(requestText('POST', '/v1/secret/data/a', '{"data":{"a":"b"}}', headers))
    const answer = await client.answer()
    expect([answer.status, answer.body]).toEqual([400, '400 Bad Request: too many Host headers'])
    expect(answer.headers).toMatchObject({ connection: 'close', 'x-mock-request': 'r1' })
    const { committed, status } = understudy.world().requests.find({})[0] ?? {}
    expect([committed, status]).toEqual([false, 400])
  })

  test.each(['identity, chunked', 'gzip, chunked', 'chunked, identity', 'gzip'])(
    'the transfer coding %s is refused',
    async (coding) => {
      const { open } = await served()
      const client = await open()
      const head = `Host: mock.test\r\nX-Vault-Token: root\r\nTransfer-Encoding: ${coding}\r\n`
      await client.send(`POST /v1/secret/data/a HTTP/1.1\r\n${head}\r\n2\r\n{}\r\n0\r\n\r\n`)
      expect((await client.answer()).status).toBe(501)
    },
  )

  test('the transfer coding chunked is read', async () => {
    const { open } = await served()
    const client = await open()
    const head = 'Host: mock.test\r\nX-Vault-Token: root\r\nTransfer-Encoding: Chunked\r\n'
    const body = '{"data":{"a":"b"}}'
    await client.send(`POST /v1/secret/data/a HTTP/1.1\r\n${head}\r\n12\r\n${body}\r\n0\r\n\r\n`)
    expect((await client.answer()).status).toBe(200)
  })
})
